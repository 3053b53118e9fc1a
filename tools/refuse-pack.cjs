/** Node does not run TypeScript from an installed package, so the sources must not be packed. */
'use strict'

process.stderr.write(
  'This folder holds the sources. Build the package and pack it: npm run build:package && npm pack ./dist/package\n',
)
process.exit(1)
