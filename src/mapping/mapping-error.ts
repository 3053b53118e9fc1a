/** One thing wrong with a mapping file. */
export interface MappingProblem {
  /** The line of the file; 0 for the file as a whole. */
  readonly line: number
  readonly message: string
}

/** A mapping file that cannot be used, with everything that is wrong with it. */
export class MappingError extends Error {
  readonly file: string
  readonly problems: readonly MappingProblem[]

  constructor(file: string, problems: readonly MappingProblem[]) {
    const shown = problems.slice(0, shownMax)
    const more = problems.length - shown.length
    super(
      [
        ...shown.map(({ line, message }) => `${line > 0 ? `${file}:${line}` : file} ${message}`),
        ...(more > 0 ? [`… and ${more} more`] : []),
      ].join('\n'),
    )
    this.file = file
    this.problems = problems
  }
}

/** So many problems are in the message of the error. */
const shownMax = 30
