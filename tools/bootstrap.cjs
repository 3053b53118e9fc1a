/*
 * Runs before `npm start`, `npm test` and the other scripts, on whatever Node the machine has:
 * installs what the lockfile says when it is missing or stale, and makes sure that the scripts
 * then find the pinned Node as `node`. Written so that an old Node can at least read it.
 */
'use strict'

var childProcess = require('child_process')
var crypto = require('crypto')
var fs = require('fs')
var path = require('path')

var oldestMajor = 20
var oldestWithoutPinned = 24
var root = path.join(__dirname, '..')
var modules = path.join(root, 'node_modules')
var stampFile = path.join(modules, '.selvedge-stamp')
var lockFolder = path.join(root, '.bootstrap-lock')
var waitMinutes = 10

main()

function main() {
  var major = Number(process.versions.node.split('.')[0])
  if (major < oldestMajor) {
    stop(
      'Selvedge needs Node ' +
        oldestMajor +
        ' or newer to start; this is Node ' +
        process.versions.node +
        '.',
    )
  }
  var stamp = wantedStamp()
  if (installedStamp() === stamp && pinnedNodeRuns()) return
  takeLock()
  try {
    // Another run may have installed everything while this one waited for the lock.
    if (installedStamp() !== stamp) install()
    linkPinnedNode(major)
    fs.writeFileSync(stampFile, stamp)
  } finally {
    fs.rmSync(lockFolder, { recursive: true, force: true })
  }
}

/** What an up-to-date installation is recognised by. */
function wantedStamp() {
  var hash = crypto.createHash('sha256')
  hash.update(fs.readFileSync(path.join(root, 'package-lock.json')))
  hash.update(process.platform + ' ' + process.arch)
  return hash.digest('hex')
}

function installedStamp() {
  try {
    return fs.readFileSync(stampFile, 'utf8')
  } catch (_missing) {
    return ''
  }
}

function install() {
  say('Installing dependencies (once; npm ci) …')
  var began = Date.now()
  var args = ['ci', '--loglevel=error', '--no-audit', '--no-fund']
  var npm = process.env.npm_execpath
  var ran = /\.[cm]?js$/.test(npm || '')
    ? childProcess.spawnSync(process.execPath, [npm].concat(args), options())
    : childProcess.spawnSync(
        'npm',
        args,
        Object.assign(options(), { shell: process.platform === 'win32' }),
      )
  if (ran.error || ran.status !== 0) {
    stop(
      'The dependencies could not be installed. Is the package registry reachable? ' +
        'What npm said is above; run the command again when it is.',
    )
  }
  say('Installed in ' + Math.round((Date.now() - began) / 1000) + ' s.')

  function options() {
    return { cwd: root, stdio: ['ignore', 2, 2] }
  }
}

/** The scripts look for `node` in node_modules/.bin first; some versions of npm leave the link out. */
function linkPinnedNode(major) {
  if (pinnedNodeRuns()) return
  var binary = pinnedBinary()
  var bin = path.join(modules, '.bin')
  if (binary) {
    fs.mkdirSync(bin, { recursive: true })
    if (process.platform === 'win32') {
      fs.writeFileSync(path.join(bin, 'node.cmd'), '@"' + binary + '" %*\r\n')
    } else {
      fs.rmSync(path.join(bin, 'node'), { force: true })
      fs.symlinkSync(path.relative(bin, binary), path.join(bin, 'node'))
    }
    if (pinnedNodeRuns()) return
  }
  fs.rmSync(path.join(bin, 'node'), { force: true })
  if (major < oldestWithoutPinned) {
    stop(
      'The pinned Node does not run on this system (' +
        process.platform +
        ' ' +
        process.arch +
        '), and the Node here is ' +
        process.versions.node +
        '. Install Node ' +
        oldestWithoutPinned +
        ' or newer.',
    )
  }
  say(
    'The pinned Node does not run on this system; going on with Node ' +
      process.versions.node +
      '.',
  )
}

/** The platform package that was installed is the one for this system. */
function pinnedBinary() {
  var wanted = require(path.join(root, 'package.json')).optionalDependencies
  var name = Object.keys(wanted).filter(function (each) {
    return /^node-/.test(each) && fs.existsSync(path.join(modules, each, 'package.json'))
  })[0]
  if (!name) return undefined
  var binary = path.join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return fs.existsSync(binary) ? binary : undefined
}

function pinnedNodeRuns() {
  var name = process.platform === 'win32' ? 'node.cmd' : 'node'
  var link = path.join(modules, '.bin', name)
  if (!fs.existsSync(link)) return false
  var ran = childProcess.spawnSync(link, ['--version'], { shell: process.platform === 'win32' })
  return ran.status === 0
}

/** Two runs at once must not both install: the second waits for the first. */
function takeLock() {
  var until = Date.now() + waitMinutes * 60000
  var said = false
  for (;;) {
    try {
      fs.mkdirSync(lockFolder)
      fs.writeFileSync(path.join(lockFolder, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!holderLives()) {
      fs.rmSync(lockFolder, { recursive: true, force: true })
      continue
    }
    if (Date.now() > until)
      stop('Another installation has been running for ' + waitMinutes + ' minutes; giving up.')
    if (!said) say('Waiting for another installation to end …')
    said = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
}

function holderLives() {
  try {
    var age = Date.now() - fs.statSync(lockFolder).mtimeMs
    var pid = Number(fs.readFileSync(path.join(lockFolder, 'pid'), 'utf8') || 0)
    if (!pid) return age < 2000
    process.kill(pid, 0)
    return true
  } catch (error) {
    // No pid file yet: the holder is between its two steps.
    if (error.code === 'ENOENT')
      return fs.existsSync(lockFolder) && Date.now() - fs.statSync(lockFolder).mtimeMs < 2000
    return error.code === 'EPERM'
  }
}

function say(sentence) {
  process.stderr.write(sentence + '\n')
}

function stop(sentence) {
  say(sentence)
  process.exit(1)
}
