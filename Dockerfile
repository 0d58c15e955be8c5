# The console, the binary, and an image that holds nothing but the binary.

FROM node:20-bookworm-slim AS console
WORKDIR /build/console
COPY .npmrc /build/
COPY console/package.json console/package-lock.json console/.npmrc ./
RUN npm ci
COPY docs/ /build/docs/
COPY console/ ./
RUN npm run build

FROM rust:1.95-bookworm AS binary
WORKDIR /build
COPY Cargo.toml Cargo.lock modelgate.default.toml ./
COPY docs/ docs/
COPY crates/ crates/
COPY --from=console /build/console/dist/ console/dist/
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --release --locked --package server \
    && cp target/release/modelgate /usr/local/bin/modelgate

# Roots of trust are compiled in, so no package is added. Debian's bash makes the health check.
FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin modelgate \
    && install --directory --owner modelgate --group modelgate --mode 0700 /data
COPY --from=binary /usr/local/bin/modelgate /usr/local/bin/modelgate
COPY LICENSE NOTICE /usr/share/doc/modelgate/
USER modelgate
WORKDIR /data
VOLUME /data
EXPOSE 3000
ENV MODELGATE_SERVER__LISTEN=0.0.0.0:3000 \
    MODELGATE_SERVER__DATA_DIR=/data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200'"]
ENTRYPOINT ["modelgate"]
CMD ["serve"]
