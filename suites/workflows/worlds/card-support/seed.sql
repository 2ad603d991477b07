INSERT INTO customers VALUES
  ('P-01', 'Ottilie Brandreth', '+1 503 555 0101', '3 Quarry Road', 'Linden Falls', 'ottilie.brandreth@example.org'),
  ('P-02', 'Jorun Haskett', '+1 503 555 0102', '19 Heron Court', 'Linden Falls', 'jorun.haskett@example.org'),
  ('P-03', 'Tamsin Orrwell', '+1 503 555 0103', '7 Millrace Street', 'Linden Falls', 'tamsin.orrwell@example.org'),
  ('P-04', 'Casimir Dunmore', '+1 503 555 0104', '42 Beacon Hill', 'Port Averill', 'casimir.dunmore@example.org'),
  ('P-05', 'Philippa Tarn', '+1 503 555 0105', '11 Saltgate', 'Port Averill', 'philippa.tarn@example.org'),
  ('P-06', 'Emeric Vanholt', '+1 503 555 0106', '5 Tanner Row', 'Port Averill', 'emeric.vanholt@example.org'),
  ('P-07', 'Rosalind Quill', '+1 503 555 0107', '8 Orchard Close', 'Linden Falls', 'rosalind.quill@example.org'),
  ('P-08', 'Ned Farrowby', '+1 503 555 0108', '27 Station Parade', 'Linden Falls', 'ned.farrowby@example.org');
INSERT INTO cards VALUES
  ('K-101', 'P-01', 'debit', '7719', 'active'),
  ('K-102', 'P-02', 'credit', '2250', 'active'),
  ('K-103', 'P-03', 'debit', '4420', 'active'),
  ('K-104', 'P-03', 'credit', '4402', 'active'),
  ('K-105', 'P-04', 'debit', '9031', 'active'),
  ('K-106', 'P-05', 'credit', '6118', 'cancelled'),
  ('K-107', 'P-05', 'debit', '6181', 'active'),
  ('K-108', 'P-06', 'debit', '1375', 'active'),
  ('K-109', 'P-07', 'credit', '8846', 'frozen'),
  ('K-110', 'P-08', 'debit', '3307', 'active'),
  ('K-111', 'P-08', 'credit', '3370', 'active');
INSERT INTO replacements VALUES (501, 'K-106', 'K-107', '6181', 'lost', 'delivered', '2026-06-02', 10);
INSERT INTO card_stock VALUES (1, 'K-201', '5094'), (2, 'K-202', '5127'), (3, 'K-203', '5268');
