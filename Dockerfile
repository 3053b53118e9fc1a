# All stages use the Node version that package.json pins.
# Three stages: build the npm package, install its dependencies, assemble the image.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE llms.txt ./
COPY openapi.json openapi.query.json openapi.feed.json openapi.ingest.json ./
COPY client ./client
COPY console ./console
COPY docs ./docs
COPY src ./src
COPY tools ./tools
# Build tools have native parts, which are optional dependencies for each platform.
RUN npm ci --ignore-scripts --no-audit --no-fund && node client/build.mjs && node console/build.ts && node tools/build-package.ts

FROM node:26.10.0-bookworm-slim AS install
WORKDIR /app
COPY --from=build /app/dist/package .
# The package has the versions and the digests of its dependencies in npm-shrinkwrap.json.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATABASE_URL=sqlite:/data/selvedge.db \
    IMAGES_URL=file:/data/images
WORKDIR /app
COPY --from=install /app .
# Node needs this library, which a minimal Debian does not have.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/selvedge.mjs"]
CMD ["serve"]
