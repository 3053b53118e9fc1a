import { hash } from 'node:crypto'

/** Names for prepared statements. One name is one text: where sessions are shared, none runs another. */
export interface StatementNames {
  /** Undefined for a text beyond those that are prepared. */
  of(text: string): string | undefined
}

/** A connection keeps the plan of each, some 20 kB. */
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
