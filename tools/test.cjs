/* `npm test`, `npm run test:slow` and `npm run test:release`, on any installed Node version. A
   whole tier first runs bootstrap.cjs; a part of a tier, selected by a pattern, does not. The
   syntax is compatible with old Node versions. */
'use strict'

var childProcess = require('child_process')
var fs = require('fs')
var path = require('path')

var bin = path.join(__dirname, '..', 'node_modules', '.bin')
var args = process.argv.slice(2)
var isPart = args.some((each) => each[0] !== '-')

if (!isPart || !fs.existsSync(bin)) run([path.join(__dirname, 'bootstrap.cjs'), 'all'])
run([path.join(__dirname, 'test', 'main.ts')].concat(args))

/** Runs a program on the pinned Node, which comes first in the path once it is installed. */
function run(words) {
  var ran = childProcess.spawnSync('node', words, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: Object.assign({}, process.env, { PATH: bin + path.delimiter + process.env.PATH }),
  })
  if (ran.status !== 0) process.exit(ran.status === null ? 1 : ran.status)
}
