import {
  basePath,
  catalog,
  documents,
  type Endpoint,
  grids,
  queryBasePath,
  type Resource,
  relationsOf,
  resourceAt,
} from '#contract'
import { comment, sourceFile } from './source.ts'

/** The table of the client: every group with its endpoints and the type of its methods. */
export const groupsFile = (): string =>
  sourceFile(
    [
      "import type { Contents, Documents, Gets, Grids, Lists, Queries, Summarizes } from '../group.ts'",
      "import type * as r from './records.ts'",
    ].join('\n'),
    `export const basePath = '${basePath}'\nexport const queryBasePath = '${queryBasePath}'`,
    [
      '/** The endpoints of each group, by path. */',
      'export const groups: { readonly [path: string]: string } = {',
      ...listed.map(({ path, endpoints }) => {
        const all = [
          ...endpoints,
          ...(documents.has(path) ? ['document'] : []),
          ...(grids.has(path) ? ['grid'] : []),
        ]
        return `  '${path}': '${all.join(' ')}',`
      }),
      '}',
    ].join('\n'),
    [
      'export interface Groups {',
      ...listed.flatMap((resource) => [
        comment(resource.summary, '  '),
        `  readonly ${inCamelCase(resource.path)}: ${[
          ...resource.endpoints.map((endpoint) => types[endpoint](resource)),
          ...documentOf(resource),
          ...(grids.has(resource.path) ? ['Grids'] : []),
        ].join(' & ')}`,
      ]),
      '}',
    ].join('\n'),
  )

/** The brand itself is not a group: all groups belong to it. */
const listed = catalog.resources.filter(({ lookup }) => lookup === undefined)

const inCamelCase = (path: string): string =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

const types: Record<Endpoint, (resource: Resource) => string> = {
  list: ({ name }) =>
    `Lists<r.${name}, r.${name}Filters, r.${name}Relations> & Queries<r.${name}, r.${name}Query, r.${name}Relations> & Summarizes<r.${name}Summary>`,
  get: ({ name }) => `Gets<r.${name}, r.${name}Relations>`,
  content: ({ content }) => `Contents<r.${content?.name}>`,
}

/** The type of a record's document: its sections, each with its included records. */
const documentOf = ({ path, name }: Resource): readonly string[] => {
  const definition = documents.get(path)
  if (!definition) return []
  const sections = Object.entries(definition.sections).map(([section, { group, include = [] }]) => {
    const resource = resourceAt(catalog, group)
    const included = relationsOf(resource).filter((each) => include.includes(each.name))
    const relations = included.map(
      (each) => `readonly ${each.name}: r.${resourceAt(catalog, each.to).name} | null`,
    )
    const extra = relations.length > 0 ? ` & { ${relations.join('; ')} }` : ''
    return `readonly ${section}: r.${resource.name}${extra}`
  })
  return [`Documents<r.${name}, r.${name}Relations, { ${sections.join('; ')} }>`]
}
