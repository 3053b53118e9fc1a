import { readFile } from 'node:fs/promises'

/** The program's own version. */
export const releaseOf = async (): Promise<string> => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
