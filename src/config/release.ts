import { installedFile } from '#installation'

/** The program's version. */
export const releaseOf = async (): Promise<string> => {
  const text = String(await installedFile('package.json'))
  return (JSON.parse(text) as { version: string }).version
}
