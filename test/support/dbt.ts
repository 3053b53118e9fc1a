/** The part of dbt that the example project uses, over DuckDB: sources, refs, and tests of columns. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { DuckDb } from './duckdb.ts'

interface Column {
  readonly name: string
  readonly description?: string
  readonly data_tests?: readonly ColumnTest[]
}

type ColumnTest =
  | 'unique'
  | 'not_null'
  | { readonly relationships: { readonly to: string; readonly field: string } }

export interface DbtTable {
  readonly name: string
  readonly columns: readonly Column[]
  readonly meta?: { readonly external_location: string }
}

interface Properties {
  readonly sources?: readonly { readonly name: string; readonly tables: readonly DbtTable[] }[]
  readonly models?: readonly DbtTable[]
}

export interface DbtProject {
  readonly sourceTables: readonly DbtTable[]
  /** Creates every model, each after those that it refers to. Returns their names. */
  build(): Promise<readonly string[]>
  /** Runs every test of every column. Returns those that fail. */
  test(): Promise<{ readonly count: number; readonly failed: readonly string[] }>
}

export const openDbtProject = (
  folder: string,
  duckdb: DuckDb,
  environment: { readonly [name: string]: string },
): DbtProject => {
  const files = globSync('models/**/*.{sql,yml}', { cwd: folder })
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
  const properties = files
    .filter((file) => file.endsWith('.yml'))
    .map((file) => parse(textOf(file)) as Properties)
  const sources = properties.flatMap((each) => each.sources ?? [])
  const models = new Map(
    files
      .filter((file) => file.endsWith('.sql'))
      .map((file) => [basename(file, '.sql'), textOf(file)]),
  )
  const environmentValue = (text: string): string =>
    text.replace(/\{\{ env_var\('(\w+)', '(\w+)'\) \}\}/g, (_, name, or) => environment[name] ?? or)
  const sourceRelation = (source: string, table: string): string => {
    const declared = sources
      .find(({ name }) => name === source)
      ?.tables.find(({ name }) => name === table)
    assert.ok(declared?.meta, `source('${source}', '${table}')`)
    return `'${environmentValue(declared.meta.external_location)}'`
  }
  const modelRelation = (name: string): string => {
    assert.ok(models.has(name), `ref('${name}')`)
    return name
  }
  const sourceCall = /source\('(\w+)', '(\w+)'\)/
  const relation = (call: string): string => {
    const [, source, table] = sourceCall.exec(call) ?? []
    if (source !== undefined && table !== undefined) return sourceRelation(source, table)
    const [, model] = /ref\('(\w+)'\)/.exec(call) ?? []
    assert.ok(model !== undefined, call)
    return modelRelation(model)
  }
  const rendered = (text: string): string =>
    text.replace(/\{\{ (.+?) \}\}/g, (_, call) => relation(call))
  const referred = (text: string): readonly string[] =>
    [...text.matchAll(/ref\('(\w+)'\)/g)].map(([, name = '']) => name)

  const failures: Record<string, (from: string, column: string, test: ColumnTest) => string> = {
    unique: (from, column) => `
      select ${column}
      from ${from}
      where ${column} is not null
      group by ${column}
      having count(*) > 1`,
    not_null: (from, column) => `
      select ${column}
      from ${from}
      where ${column} is null`,
    relationships: (from, column, test) => {
      assert.ok(typeof test === 'object')
      const { to, field } = test.relationships
      return `
        select child.${column}
        from ${from} as child
        left join ${relation(to)} as parent on child.${column} = parent."${field}"
        where child.${column} is not null and parent."${field}" is null`
    },
  }

  return {
    sourceTables: sources.flatMap(({ tables }) => tables),
    build: async () => {
      const built: string[] = []
      const build = async (name: string): Promise<void> => {
        if (built.includes(name)) return
        const text = models.get(name) ?? ''
        for (const each of referred(text)) await build(each)
        await duckdb.query(`create table ${name} as ${rendered(text)}`)
        built.push(name)
      }
      for (const name of models.keys()) await build(name)
      return built
    },
    test: async () => {
      const tables = [
        ...sources.flatMap((source) =>
          source.tables.map((table) => ({ table, from: sourceRelation(source.name, table.name) })),
        ),
        ...properties
          .flatMap((each) => each.models ?? [])
          .map((table) => ({ table, from: modelRelation(table.name) })),
      ]
      let count = 0
      const failed: string[] = []
      for (const { table, from } of tables) {
        for (const { name, data_tests: tests = [] } of table.columns) {
          for (const test of tests) {
            const kind = typeof test === 'string' ? test : 'relationships'
            const sql = failures[kind]?.(from, `"${name}"`, test) ?? ''
            const rows = await duckdb.query(sql)
            count += 1
            if (rows.length > 0) failed.push(`${table.name} ${name} ${kind}`)
          }
        }
      }
      return { count, failed }
    },
  }
}
