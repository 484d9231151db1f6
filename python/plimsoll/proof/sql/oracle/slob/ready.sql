alter system checkpoint
