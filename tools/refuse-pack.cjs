/** Node does not run TypeScript that is installed as a package, so the sources are not packed. */
'use strict'

process.stderr.write(
  'This folder holds the sources. Build the package and pack it: npm run build:package && npm pack ./dist/package\n',
)
process.exit(1)
