# All stages use the Node version that package.json pins.
# Three stages: build the console, install production dependencies, assemble the image.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY client/package.json ./client/package.json
COPY client/src ./client/src
COPY console ./console
COPY src ./src
# Build tools have native parts, which are optional dependencies for each platform.
RUN npm ci --ignore-scripts --no-audit --no-fund && node console/build.ts

FROM node:26.10.0-bookworm-slim AS install
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json ./client/package.json
COPY console/package.json ./console/package.json
# The server runs on the Node of the image, so the pinned platform packages are omitted.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATABASE_URL=sqlite:/data/selvedge.db \
    IMAGES_URL=file:/data/images
WORKDIR /app
COPY --from=install /app/node_modules ./node_modules
COPY package.json openapi.json openapi.query.json openapi.feed.json llms.txt ./
COPY bin ./bin
COPY client/src ./client/src
COPY src ./src
COPY --from=build /app/console/dist ./console/dist
# Node needs this library, which a minimal Debian does not have.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "src/cli/main.ts"]
CMD ["serve"]
