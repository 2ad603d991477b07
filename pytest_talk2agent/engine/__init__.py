"""Who does the work: the plan, the local pass, the model server shared by xdist workers."""
