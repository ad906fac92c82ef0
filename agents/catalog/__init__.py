"""What people wrote down for the program: reads manifests and policies, and says in words what is wrong with them."""
