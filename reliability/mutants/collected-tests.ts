/**
 * Replaces `node:test` while mutants are tested. Collects the tests of a file instead of running
 * them, so that a thousand mutants take minutes.
 */
type Run = () => unknown

export interface CollectedTest {
  readonly name: string
  readonly run: Run
}

let collected: CollectedTest[] = []
let suites: readonly string[] = []

export const describe = (name: string, define: () => void): void => {
  const outer = suites
  suites = [...outer, name]
  define()
  suites = outer
}

export const it = (name: string, run: Run): void => {
  collected.push({ name: [...suites, name].join(' > '), run })
}

/** The tests collected since the last call. */
export const takeTests = (): readonly CollectedTest[] => {
  const tests = collected
  collected = []
  return tests
}
