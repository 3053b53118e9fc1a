import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const schemasFolder = fileURLToPath(new URL('../schemas', import.meta.url))

/** Folders with a gold mapping, those that were held out last. */
export const schemaNames = (only: string): readonly string[] => {
  const inside = (folder: string) =>
    existsSync(join(schemasFolder, folder))
      ? readdirSync(join(schemasFolder, folder))
          .sort()
          .map((name) => join(folder, name))
          .filter((name) => existsSync(join(schemasFolder, name, 'gold.yaml')))
      : []
  const names = [...inside(''), ...inside('held-out')]
  const chosen = names.filter((name) => only === '' || name === only)
  if (chosen.length === 0) throw new RangeError(`There are the schemas ${names.join(', ')}.`)
  return chosen
}
