"""The clumsy model: whole walks on every wire with a model that means well and gets the form wrong."""
