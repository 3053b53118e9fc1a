/**
 * An independent check of openapi.json: `npm run specmatic [-- --cache <folder>] [--only <path>]` tests a
 * running server against the document with Specmatic, a third-party tool. It is downloaded from the npm
 * registry when needed and runs on Java, which root can install from Debian. The last line of the output
 * is the result as JSON. The exit code is 1 if a test failed.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { basePath } from '#contract'
import { openTestService } from '../test/support/service.ts'
import { readOptions, runCommand, UsageError } from './options.ts'
import { inSandbox, type Sandbox } from './sandbox.ts'
import { documentFor, examplesFor } from './specmatic/examples.ts'
import { readReport } from './specmatic/report.ts'

const run = promisify(execFile)

const version = '2.55.1'
const minutesMax = 30

const secondOpinion = (args: readonly string[]): Promise<number> => {
  const options = readOptions(args, { cache: { type: 'string' }, only: { type: 'string' } })
  return inSandbox(async (sandbox) => {
    const began = performance.now()
    const java = await findJava()
    const jar = await install(sandbox, options.cache ?? join(tmpdir(), `specmatic-${version}`))
    const service = await openTestService()
    sandbox.onClose(() => service.close())

    const examples = await sandbox.step('asking for an example of every answer', () =>
      examplesFor(service, options.only),
    )
    if (examples.length === 0) throw new UsageError(`There is no path ${options.only}.`)
    const folder = join(sandbox.folder, 'examples')
    mkdirSync(folder)
    for (const { template: _, ...example } of examples) {
      writeFileSync(join(folder, `${example.name}.json`), JSON.stringify(example))
    }
    const document = join(sandbox.folder, 'openapi.json')
    const paths = new Set(examples.map(({ template }) => template))
    writeFileSync(document, JSON.stringify(documentFor(paths)))

    sandbox.log(`Specmatic ${version} loads ${examples.length} examples of ${paths.size} paths`)
    const reports = join(sandbox.folder, 'reports')
    const { code, end } = await judge(sandbox, java, [
      ...['-jar', jar, 'test', document, '--strict', '--timeout=60'],
      `--testBaseURL=${service.url}${basePath}`,
      `--examples=${folder}`,
      `--junitReportDir=${reports}`,
    ])
    const report = join(reports, 'TEST-junit-jupiter.xml')
    const { tests, failures } = readReport(existsSync(report) ? readFileSync(report, 'utf8') : '')
    for (const failure of failures.slice(0, 20)) process.stderr.write(`FAILED: ${failure}\n`)
    // At least one test ran for each example.
    const met = code === 0 && failures.length === 0 && tests >= examples.length
    if (!met && failures.length === 0) process.stderr.write(`${end}\n`)
    const seconds = Math.round((performance.now() - began) / 100) / 10
    sandbox.log(`${tests} tests, ${failures.length} failed (${seconds} s)`)
    const result = { tool: `specmatic ${version}`, met, paths: paths.size, tests }
    process.stdout.write(`${JSON.stringify({ ...result, failed: failures.length, seconds })}\n`)
    return met ? 0 : 1
  })
}

const findJava = async (): Promise<string> => {
  const runs = () => run('java', ['-version'])
  try {
    await runs().catch(async () => {
      if (process.getuid?.() !== 0) throw new Error('only root can install it')
      await run('apt-get', ['install', '-y', '--no-install-recommends', 'openjdk-17-jre-headless'])
      await runs()
    })
  } catch (error) {
    throw new UsageError(`Java 17 or newer is needed: ${(error as Error).message.split('\n')[0]}.`)
  }
  return 'java'
}

/** Downloads Specmatic into a folder unless it exists, and returns the path of its program. */
const install = async (sandbox: Sandbox, folder: string): Promise<string> => {
  const jar = join(folder, 'node_modules/specmatic/specmatic.jar')
  if (existsSync(jar)) return jar
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  await sandbox
    .step(`installing Specmatic ${version} (77 MB)`, () =>
      run('npm', [...args, `specmatic@${version}`]),
    )
    .catch(() => {
      throw new UsageError('Specmatic could not be installed from the npm registry.')
    })
  return jar
}

/** Runs Specmatic and reports its progress. Hides its output, which is too long. */
const judge = (
  sandbox: Sandbox,
  java: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly end: string }> => {
  const child = spawn(java, args, { cwd: sandbox.folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const limit = setTimeout(() => child.kill('SIGKILL'), minutesMax * 60_000)
  sandbox.onClose(() => child.kill('SIGKILL'))
  let done = 0
  let end: string[] = []
  createInterface(child.stdout).on('line', (line) => {
    end = [...end.slice(-200), line]
    if (!/ has (SUCCEEDED|FAILED)$/.test(line)) return
    done += 1
    if (done % 100 === 0) sandbox.log(`${done} tests`)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(limit)
      resolve({ code, end: end.join('\n') })
    })
  })
}

if (import.meta.main) await runCommand(secondOpinion)
