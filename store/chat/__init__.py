"""What is said and shown: deliveries, posts, threads and the people in them."""
