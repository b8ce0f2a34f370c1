# Memoria as a container: keeps its home in /data, and speaks MCP over standard input and output, or
# over HTTP to whoever shows a token. docs/guide/deploy.md has more; deploy/compose.yaml adds TLS.
#
#   docker build -t memoria .
#   docker run --rm memoria demo
#   docker run --rm -i -v memoria:/data memoria serve
#
#   docker run --rm -v memoria:/data memoria token create
#   docker run -d -v memoria:/data -p 127.0.0.1:8420:8420 memoria serve --http 0.0.0.0:8420
#
# With spans by OpenTelemetry: docker build --build-arg EXTRAS=[otel] -t memoria .

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY server server
COPY identity identity
COPY prompts prompts
ARG EXTRAS=
RUN python -m venv /opt/memoria \
    && /opt/memoria/bin/pip install --no-cache-dir ".${EXTRAS}"

FROM python:3.13-slim
LABEL org.opencontainers.image.title="memoria" \
      org.opencontainers.image.description="Long-term memory for LLM agents, served over MCP" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --create-home --uid 1000 memoria \
    && install -d -o memoria -g memoria -m 700 /data
COPY --from=build /opt/memoria /opt/memoria
ENV PATH=/opt/memoria/bin:$PATH \
    MEMORIA_HOME=/data \
    MEMORIA_WORKSPACE=none \
    PYTHONUNBUFFERED=1
USER memoria
WORKDIR /home/memoria
# The embedding model as processes map it: a container that is thrown away would build it each time.
RUN python -c "from memoria.inference.mapped.cache import load_encoder; load_encoder()"
VOLUME /data
EXPOSE 8420
ENTRYPOINT ["memoria"]
CMD ["serve"]
