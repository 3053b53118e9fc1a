# The Node version that package.json pins, by the digest of its images for all platforms.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS node

# The npm package.
FROM node AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE openapi.json ./
COPY client ./client
COPY connectors ./connectors
COPY console ./console
COPY demo ./demo
COPY docs ./docs
COPY src ./src
COPY tools ./tools
# Build tools have native parts, which are optional dependencies for each platform.
RUN npm ci --ignore-scripts --no-audit --no-fund && node client/build.mjs && node console/build.ts && node tools/build-package.ts

# Its dependencies.
FROM node AS install
WORKDIR /app
COPY --from=build /app/dist/package .
# The package has the versions and the digests of its dependencies in npm-shrinkwrap.json.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# What Node needs to run.
FROM node AS root
COPY tools/image-root.sh ./
RUN sh image-root.sh /image /usr/local/bin/node

# The image.
FROM scratch
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    HOST=0.0.0.0 \
    DATABASE_URL=sqlite:/data/selvedge.db \
    IMAGES_URL=file:/data/images
COPY --from=root /image /
WORKDIR /app
COPY --from=install /app .
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/selvedge.mjs"]
CMD ["serve"]
