import { hash } from 'node:crypto'

/**
 * Names for prepared statements. A name always means the same text, so that a shared session never
 * runs another statement.
 */
export interface StatementNames {
  /** Undefined once the maximum number of texts is reached. */
  of(text: string): string | undefined
}

/** A connection keeps a plan of about 20 kB for each. */
const namesMax = 500

export const createStatementNames = (): StatementNames => {
  const names = new Map<string, string>()
  return {
    of: (text) => {
      const name = names.get(text)
      if (name !== undefined || names.size >= namesMax) return name
      const added = `selvedge_${hash('sha256', text, 'base64url').slice(0, 24)}`
      names.set(text, added)
      return added
    },
  }
}
