"""The library over HTTP: the methods of `Memoria` on a server that speaks REST."""
