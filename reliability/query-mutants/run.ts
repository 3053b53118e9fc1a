import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Mistake, mistakeVariable } from './mistake.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const hook = new URL('hook.ts', import.meta.url).href
/** A test that takes longer with a mistake counts as failed. */
const limitMs = 300_000

export interface TestRun {
  /** The names of the tests that passed and failed. */
  readonly passed: ReadonlySet<string>
  readonly failed: ReadonlySet<string>
  readonly isOver: boolean
  readonly output: string
}

/** Runs one test of a file, or all, with or without a mistake in the sources. */
export const runTest = (
  { test, noticedBy }: { readonly test: string; readonly noticedBy: string | null },
  mistake: Mistake | null,
): Promise<TestRun> =>
  new Promise((resolve, reject) => {
    const pattern = noticedBy?.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&') ?? ''
    const args = [
      ...(mistake ? ['--import', hook] : []),
      '--test-reporter=tap',
      `--test-name-pattern=/${pattern}$/`,
      test,
    ]
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: {
        ...environment,
        ...(mistake && { [mistakeVariable]: JSON.stringify(mistake) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.once('error', reject)
    child.once('close', (_code, signal) => {
      clearTimeout(timer)
      resolve({ ...readTap(output), isOver: signal === 'SIGKILL', output })
    })
  })

const tapLine = /^\s*(not ok|ok) \d+ - (.*)$/
const skipped = / # SKIP.*$/

const readTap = (output: string): Pick<TestRun, 'passed' | 'failed'> => {
  const [passed, failed] = [new Set<string>(), new Set<string>()]
  for (const line of output.split('\n')) {
    const [, state, name = ''] = tapLine.exec(line) ?? []
    if (state === undefined || skipped.test(name)) continue
    // Removes the escapes of the reporter.
    const plain = name.replaceAll(/\\([\\#])/g, '$1')
    ;(state === 'ok' ? passed : failed).add(plain)
  }
  return { passed, failed }
}
