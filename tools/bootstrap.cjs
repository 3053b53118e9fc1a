/*
 * Runs before `npm start`, `npm test` and other scripts, on any installed Node version. Installs the
 * packages of the lockfile if they are missing or out of date, ensures that scripts find the pinned Node
 * as `node`, and builds the web console if its sources have changed. With the argument `all`, as before
 * the tests, it also installs the development tools and builds the client. It never removes these.
 * A program after `all` is then run on the pinned Node, with the arguments that follow it.
 * The syntax is compatible with old Node versions.
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
/** The builds: each has a folder, a command and additional sources, and writes to `dist`. */
var client = { name: 'client', program: 'build.mjs', from: [] }
var webConsole = {
  name: 'console',
  program: 'build.ts',
  from: [path.join('client', 'src'), path.join('src', 'contract'), 'docs'],
}
var forServing = 'serve'
/** Keeps installed packages: if the development tools are present, they are updated as well. */
var wanted = process.argv[2] === 'all' || hasTools() ? 'all' : forServing
// Serving needs neither the client nor its compiler.
var built = wanted === 'all' ? [client, webConsole] : [webConsole]

main()
if (process.argv.length > 3) runProgram(process.argv.slice(3))

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
  if (readStamp(stampFile) === stamp && built.every(isBuilt) && pinnedNodeRuns()) return
  takeLock()
  try {
    // Another run may have completed while this one waited for the lock.
    if (readStamp(stampFile) !== stamp) install(stamp)
    linkPinnedNode(major)
    fs.writeFileSync(stampFile, stamp)
    built
      .filter(function (each) {
        return !isBuilt(each)
      })
      .forEach(build)
  } finally {
    fs.rmSync(lockFolder, { recursive: true, force: true })
  }
}

/** A fingerprint of an up-to-date installation. */
function wantedStamp() {
  var hash = crypto.createHash('sha256')
  hash.update(fs.readFileSync(path.join(root, 'package-lock.json')))
  hash.update(process.platform + ' ' + process.arch)
  return stampOf(hash.digest('hex'), wanted)
}

function stampOf(digest, level) {
  return level === 'all' ? digest : digest + ' ' + level
}

/** Whether packages are installed beyond those for serving. */
function hasTools() {
  return fs.existsSync(path.join(modules, '.package-lock.json')) && !isForServing()
}

function isForServing() {
  return readStamp(stampFile).split(' ')[1] === forServing
}

/** A fingerprint of the sources of a build; empty if there are none. */
function wantedBuildStamp(each) {
  if (!fs.existsSync(path.join(root, each.name, each.program))) return ''
  var hash = crypto.createHash('sha256')
  hash.update(fs.readFileSync(path.join(root, 'package-lock.json')))
  ;[each.name]
    .concat(each.from)
    .reduce(function (files, folder) {
      return files.concat(filesIn(folder))
    }, [])
    .forEach(function (file) {
      hash.update(file + '\n')
      hash.update(fs.readFileSync(path.join(root, file)))
    })
  return hash.digest('hex')
}

function isBuilt(each) {
  return readStamp(buildStampFile(each)) === wantedBuildStamp(each)
}

function buildStampFile(each) {
  return path.join(root, each.name, 'dist', '.stamp')
}

/** The files of a folder and its subfolders, without generated files. */
function filesIn(folder) {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort(function (a, b) {
      return a.name < b.name ? -1 : 1
    })
    .reduce(function (files, entry) {
      if (entry.name === 'dist' || entry.name === 'node_modules') return files
      var each = path.join(folder, entry.name)
      return files.concat(entry.isDirectory() ? filesIn(each) : [each])
    }, [])
}

function readStamp(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (_missing) {
    return ''
  }
}

function install(stamp) {
  // Adds the development tools to the installed packages; `npm ci` would install everything again.
  var adds = readStamp(stampFile) === stampOf(stamp, forServing)
  var command = adds ? 'install' : 'ci'
  print(
    adds
      ? 'Installing development tools (once; npm install) …'
      : 'Installing dependencies (once; npm ci) …',
  )
  var began = Date.now()
  var args = [command, '--loglevel=error', '--no-audit', '--no-fund']
    .concat(adds ? ['--no-save'] : [])
    .concat(wanted === 'all' ? ['--include=dev'] : ['--omit=dev'])
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
  print('Installed in ' + Math.round((Date.now() - began) / 1000) + ' s.')

  function options() {
    return { cwd: root, stdio: ['ignore', 2, 2] }
  }
}

/** The API works without the builds. A failed build is reported and retried next time. */
function build(each) {
  print('Building the ' + each.name + ' …')
  var stamp = wantedBuildStamp(each)
  var ran = runPinned([path.join(each.name, each.program)], ['ignore', 2, 2])
  if (ran.error || ran.status !== 0) {
    print(
      'The ' +
        each.name +
        ' could not be built; what was said about it is above. Going on without it.',
    )
  } else {
    fs.writeFileSync(buildStampFile(each), stamp)
  }
}

function runProgram(words) {
  var ran = runPinned(words, 'inherit')
  process.exit(ran.status === null ? 1 : ran.status)
}

/** Runs a program on the pinned Node, or on this one if the pinned one is missing. */
function runPinned(words, stdio) {
  var pinned = path.join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  return childProcess.spawnSync(fs.existsSync(pinned) ? pinned : process.execPath, words, {
    cwd: root,
    stdio: stdio,
    shell: process.platform === 'win32',
  })
}

/** Scripts look for `node` in node_modules/.bin first. Some versions of npm do not create the link. */
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
        '. ' +
        (missingLibrary(binary) ||
          'Install Node ' + oldestWithoutPinned + ' or newer, and run the command again.'),
    )
  }
  print(
    'The pinned Node does not run on this system; going on with Node ' +
      process.versions.node +
      '.',
  )
}

/** The binary of the installed platform package, if it matches this system. */
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

/** The package to install if a shared library of the pinned Node is missing; otherwise empty. */
function missingLibrary(binary) {
  if (!binary) return ''
  var ran = childProcess.spawnSync(binary, ['--version'], { encoding: 'utf8' })
  var match = /loading shared libraries: (\S+?)\.so/.exec(ran.stderr || '')
  if (!match) return ''
  return match[1] === 'libatomic'
    ? 'Its library libatomic is missing: run apt-get install libatomic1 (Debian, Ubuntu) or ' +
        'dnf install libatomic (Fedora), and run the command again.'
    : 'Its library ' + match[1] + ' is missing: install it, and run the command again.'
}

/** Takes a lock: if two runs start at once, the second waits for the first. */
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
    if (!said) print('Waiting for another installation to end …')
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
    // Without a pid file, the owner is between creating the folder and writing the file.
    if (error.code === 'ENOENT')
      return fs.existsSync(lockFolder) && Date.now() - fs.statSync(lockFolder).mtimeMs < 2000
    return error.code === 'EPERM'
  }
}

function print(sentence) {
  process.stderr.write(sentence + '\n')
}

function stop(sentence) {
  print(sentence)
  process.exit(1)
}
