/** The starter mappings of examples/erpnext and examples/odoo, with their rows. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The statements of an example's schema and data, in their order. */
export const statementsOf = (example: string): readonly string[] =>
  ['schema.sql', 'data.sql'].flatMap((file) =>
    readFileSync(fileOf(example, file), 'utf8')
      .split(/;\n/)
      .filter((statement) => statement.trim() !== ''),
  )

export const starterMapping = (example: string): string => fileOf(example, 'brand.map.yaml')

const fileOf = (example: string, file: string): string =>
  fileURLToPath(new URL(`../../examples/${example}/${file}`, import.meta.url))
