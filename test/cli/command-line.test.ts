/** The command line as a whole: help, usage errors, configuration errors. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Command, CommanderError } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import { openSandbox } from '../support/command.ts'

const root = new URL('../../', import.meta.url)
const place = openSandbox()
after(() => place.close())
const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  place.run(args, '', environment)
/** For a server, and what a process prints before it loads a command. */
const runProcess = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  place.start(args, environment).ended

const version = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version
const whole = await buildProgram(version)

describe('the command line', { concurrency: 3 }, () => {
  /** Every command there is, with the words that call it. */
  const commandsOf = (command: Command, words = ''): readonly (readonly [string, Command])[] => [
    [words, command],
    ...command.commands.flatMap((each) => commandsOf(each, `${words} ${each.name()}`.trim())),
  ]
  const commands = commandsOf(whole)

  it('has these commands', () => {
    const names = commands.filter(([, { commands: below }]) => below.length === 0)
    for (const name of [
      ...['serve', 'brands add', 'brands list', 'keys issue', 'keys list', 'keys revoke'],
      ...['keys rotate', 'import', 'export', 'check', 'demo', 'openapi'],
    ]) {
      assert.ok(
        names.some(([words]) => words === name),
        name,
      )
    }
  })

  it('explains each command with --help', async () => {
    for (const [words, command] of commands) {
      const help = command.helpInformation()
      assert.ok(help.startsWith(`Usage: selvedge${words && ` ${words}`} `), help)
      assert.match(command.description(), /^[A-Z].+\.$/, words)
      assert.match(help, /-h, --help/)
    }
    const { code, stdout, stderr } = await run(['keys', 'issue', '--help'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Usage: selvedge keys issue /)
    assert.equal((await runProcess(['--help'])).code, 0)
  })

  it('prints its version, and those of Node and SQLite', async () => {
    const { node, sqlite } = process.versions
    const { code, stdout, stderr } = await runProcess(['--version'])
    assert.deepEqual(
      [code, stdout, stderr],
      [0, `${version} (Node ${node}, SQLite ${sqlite})\n`, ''],
    )
  })

  it('prints the OpenAPI document', async () => {
    const document = readFileSync(new URL('openapi.json', root), 'utf8')
    const { code, stdout, stderr } = await run(['openapi', '--json'])
    assert.deepEqual([code, stdout, stderr], [0, document, ''])
  })

  it('refuses arguments that its help does not list', async () => {
    for (const args of [
      ['nonsense'],
      ['keys', 'nonsense'],
      ['brands', 'add'],
      ['brands', 'add', 'x'],
      ['brands', 'list', '--nonsense'],
      ['keys', 'revoke'],
      ['keys', 'rotate'],
      ['keys', 'issue', '--brand'],
      ['serve', '--nonsense'],
      ['serve', 'extra'],
      ['openapi', 'extra'],
      ['brands'],
      [],
    ]) {
      const program = await buildProgram(version)
      for (const [, command] of commandsOf(program)) {
        command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
      }
      await assert.rejects(
        program.parseAsync(args, { from: 'user' }),
        (error) => error instanceof CommanderError && error.exitCode !== 0,
        args.join(' '),
      )
    }
  })

  for (const args of [[], ['keys', 'nonsense'], ['brands', 'add', 'x'], ['serve', '--nonsense']]) {
    it(`exits with 2 and a hint when used as: selvedge ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await (args.length === 0 ? runProcess : run)(args)
      assert.equal(code, 2, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, /See --help\.|Usage: selvedge/)
      assert.doesNotMatch(stderr, /^\s+at /m)
    })
  }

  it('refuses an invalid configuration and lists all its problems', async () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'nonsense' }
    for (const args of [['serve'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await run(args, environment)
      assert.equal(code, 1)
      assert.equal(stdout, '')
      const [first, ...problems] = stderr.trimEnd().split('\n')
      assert.equal(first, 'The configuration cannot be used:')
      assert.deepEqual(
        problems.map((problem) => problem.trim().split(' ')[0]),
        ['PORT', 'DATABASE_URL', 'LOG_LEVEL'],
      )
    }
  })

  it('explains in a sentence why a database cannot be used', async () => {
    const garbage = place.put({ 'garbage.db': 'This is not a database.'.repeat(100) })
    for (const url of [`sqlite:${garbage}`, `sqlite:${garbage}/x.db`]) {
      const { code, stdout, stderr } = await run(['brands', 'list'], { DATABASE_URL: url })
      assert.equal(code, 1, url)
      assert.equal(stdout, '')
      assert.match(stderr, /^\S.+\.\n$/s, url)
      assert.doesNotMatch(stderr, /^\s+at /m, `${url}: a stack trace`)
      assert.doesNotMatch(stderr, /unexpected/, url)
    }
    assert.match(readFileSync(garbage, 'utf8'), /^This is not a database/)
  })

  it('explains in a sentence why it cannot listen', async () => {
    const { code, stderr } = await runProcess(['serve'], {
      HOST: '192.0.2.1',
      PORT: '0',
      RATE_PER_SECONDS: '5',
    })
    assert.match(
      stderr,
      /^RATE_PER_SECONDS is not a setting and is ignored\. Did you mean RATE_PER_SECOND\?$/m,
    )
    assert.equal(code, 1)
    assert.match(stderr, /192\.0\.2\.1/)
    assert.doesNotMatch(stderr, /^\s+at /m, 'a stack trace')
    assert.doesNotMatch(stderr, /unexpected/)
  })

  describe('with a port that is in use', () => {
    const holder = createServer()
    let usedPort = ''
    before(async () => {
      await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
      usedPort = String((holder.address() as AddressInfo).port)
    })
    after(() => holder.close())

    it('serve exits with 1 and names the variable to set', async () => {
      const { code, stderr } = await runProcess(['serve'], { PORT: usedPort })
      assert.deepEqual(
        [code, stderr.trimEnd().split('\n').at(-1)],
        [
          1,
          `Port ${usedPort} of 127.0.0.1 is already in use by another process. Stop that process, or choose another port with PORT (0 takes any free one), METRICS_PORT or ADMIN_PORT.`,
        ],
      )
    })

    it('serve exits too when it is the port of the metrics', async () => {
      const { code, stderr } = await runProcess(['serve'], { PORT: '0', METRICS_PORT: usedPort })
      assert.equal(code, 1, `it continued to run; ${stderr}`)
      assert.match(
        stderr,
        new RegExp(`^Port ${usedPort} of 127\\.0\\.0\\.1 is already in use`, 'm'),
      )
    })
  })

  it('refuses the demo in production', async () => {
    const { code, stdout, stderr } = await runProcess(['serve', '--demo'], {
      NODE_ENV: 'production',
      DATABASE_URL: 'sqlite:./production.db',
    })
    assert.deepEqual(
      [code, stdout, stderr],
      [1, '', 'The demo brand is not available in production. Remove --demo.\n'],
    )
  })
})
