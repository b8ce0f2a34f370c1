# Memoria as a container: speaks MCP over standard input and output, keeps its home in /data.
#
#   docker build -t memoria .
#   docker run --rm memoria demo
#   docker run --rm -i -v memoria:/data memoria serve

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY server server
COPY identity identity
COPY prompts prompts
RUN python -m venv /opt/memoria \
    && /opt/memoria/bin/pip install --no-cache-dir .

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
ENTRYPOINT ["memoria"]
CMD ["serve"]
