/** A text of a source file, and the wrong text in its place. */
export interface SourceMistake {
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
}

/** The environment variable that a mistake is passed to a process by, as JSON. */
export const mistakeVariable = 'SELVEDGE_MISTAKE'

export const withMistake = (source: string, { file, from, to }: SourceMistake): string => {
  const [before = '', after, ...more] = source.split(from)
  if (after === undefined || more.length > 0) {
    throw new RangeError(`${file} has ${after === undefined ? 'no' : 'more than one'} "${from}".`)
  }
  return before + to + after
}

/** A mistake in a source file, and the test that has to notice it. */
export interface Mistake extends SourceMistake {
  /** What is wrong, for people. */
  readonly about: string
  readonly test: string
  readonly noticedBy: string
}
