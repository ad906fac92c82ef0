"""Parts that several cards show: a plan, work and its checks, money, and the words they share."""
