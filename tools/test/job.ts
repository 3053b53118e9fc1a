/**
 * Runs test files in this process, one after the other. Its arguments are the file that gets the results,
 * a line of JSON each, and the test files. There is no channel to the parent process, since the program
 * behaves differently in a process that was forked.
 */
import { openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'

/** How a test ended, or after the last one what is still open. */
export type JobMessage = TestResult | { readonly left: readonly string[] }

export interface TestResult {
  readonly file: string
  readonly name: string
  readonly ms: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly reason: string
}

/** How long one test may take. */
const timeoutMs = 600_000
/** How long servers and timers of the tests may take to end after the last test. */
const graceMs = Number(process.env['TEST_GRACE_MS'] ?? 60_000)

const [, , results = '', ...files] = process.argv
const output = openSync(results, 'a')
const send = (message: JobMessage) => writeSync(output, `${JSON.stringify(message)}\n`)

/** Tests that are not within another one and have not ended. */
let running = 0
let lastEventAt = Number.POSITIVE_INFINITY
// The run ends when the event loop is empty. What tests leave open would keep it from ending.
setInterval(() => {
  if (running > 0 || performance.now() - lastEventAt < graceMs) return
  send({ left: process.getActiveResourcesInfo() })
  process.exit()
}, 500).unref()

for await (const { type, data } of run({ files, isolation: 'none', timeout: timeoutMs })) {
  lastEventAt = performance.now()
  if (type === 'test:enqueue' && data.nesting === 0) running += 1
  if (type === 'test:complete' && data.nesting === 0) running -= 1
  if (type !== 'test:pass' && type !== 'test:fail') continue
  const { file = '', name, details, skip, todo } = data
  const isSuite = details.type === 'suite'
  const common = { file, name, ms: details.duration_ms }
  if (type === 'test:fail') {
    const { cause, failureType } = details.error
    // A suite fails with its tests. Errors of its hooks are reported with the suite only.
    if (isSuite && failureType === 'subtestsFailed') continue
    send({ ...common, outcome: 'failed', reason: inspect(cause ?? details.error, { depth: 4 }) })
  } else if (resolve(name) === file) {
    // Node reports a file without tests as a test that passes.
    send({ ...common, outcome: 'failed', reason: 'There is no test.' })
  } else if (!isSuite || skip !== undefined) {
    const reason = skip ?? todo
    const outcome = reason === undefined ? 'passed' : 'skipped'
    send({ ...common, outcome, reason: String(reason) })
  }
}
send({ left: [] })
