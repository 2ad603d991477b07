-- Indexes of the table of orders.
CREATE INDEX orders_by_day ON orders (day);
CREATE INDEX orders_by_port ON orders (port, day);
CREATE INDEX customers_by_name ON customers (name);
