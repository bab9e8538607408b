# One host in one container:
#   docker build -t rostra .
#   docker run -p 8787:8787 -v rostra:/data -e ROSTRA_API_KEY="$(openssl rand -hex 32)" rostra

ARG NODE=20

FROM node:${NODE}-slim AS build
WORKDIR /src
COPY . .
# Scripts of packages never run; the bundles need nothing of node_modules but SQLite and its search for vectors.
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run build \
  && mkdir /native && cp -r node_modules/@photostructure node_modules/node-gyp-build node_modules/sqlite-vec* /native/

FROM node:${NODE}-slim
ENV NODE_ENV=production ROSTRA_DATA=/data ROSTRA_HOST=0.0.0.0 ROSTRA_PORT=8787
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /native node_modules
COPY --from=build /src/scripts/launch scripts/launch
COPY --from=build /src/packages/host/package.json packages/host/
COPY --from=build /src/packages/host/bin packages/host/bin
COPY --from=build /src/packages/host/dist packages/host/dist
COPY --from=build /src/packages/console/dist packages/console/dist
COPY --from=build /src/packages/runners/demo/dist packages/runners/demo/dist
COPY --from=build /src/packages/runners/local-agent/dist packages/runners/local-agent/dist
RUN mkdir /data && chown node:node /data && ln -s /app/packages/host/bin/rostra.cjs /usr/local/bin/rostra
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD node -e "fetch('http://127.0.0.1:8787/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
# Ctrl-C and `docker stop` let live runs end first.
STOPSIGNAL SIGTERM
CMD ["node", "packages/host/bin/rostra.cjs", "start"]
