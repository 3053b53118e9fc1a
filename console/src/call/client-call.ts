import { basePath, queryBasePath } from '../../../src/contract/index.ts'
import { groupAt } from '../contract.ts'
import type { Request } from './languages.ts'

/** The request as a call of the TypeScript client. */
export const clientCall = ({ url, isList }: Request): string => {
  const { origin, pathname, searchParams } = new URL(url)
  const base = pathname.startsWith(queryBasePath) ? queryBasePath : basePath
  const [brand = '', path = '', id = '', part = 'get'] = pathname
    .slice(`${base}/brands/`.length)
    .split('/')
    .map(decodeURIComponent)
  const query = queryOf(path, searchParams)
  return [
    `import { createClient } from '@selvedge/client'`,
    '',
    'const client = createClient({',
    `  url: ${quoted(origin)},`,
    `  key: process.env.SELVEDGE_KEY ?? '',`,
    '})',
    `const brand = client.brand(${quoted(brand)})`,
    '',
    ...(isList
      ? [
          `for await (const item of brand.${inCamelCase(path)}.queryAll(${query})) {`,
          '  console.log(item)',
          '}',
        ]
      : [`console.log(await brand.${path === '' ? 'get()' : record(path, id, part, query)})`]),
  ].join('\n')
}

/** The part is the last segment of the path: `get`, or `document`. */
const record = (path: string, id: string, part: string, query: string): string =>
  `${inCamelCase(path)}.${part}(${[quoted(id), ...(query ? [query] : [])].join(', ')})`

/** `packing-lists` is `packingLists` in the client. */
const inCamelCase = (path: string): string =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** A query as an object literal, without the cursor: the client starts at the first page. */
const queryOf = (path: string, query: URLSearchParams): string => {
  const entries = [...query].filter(([name]) => name !== 'cursor')
  const texts = entries.map(([name, value]) => `${nameText(name)}: ${valueText(path, name, value)}`)
  return texts.length === 0 ? '' : `{ ${texts.join(', ')} }`
}

const nameText = (name: string): string => (/^\w+$/.test(name) ? name : quoted(name))

const valueText = (path: string, name: string, value: string): string => {
  const [base = '', form] = name.split('.')
  const group = groupAt(path)
  const isView = name === 'days' && (group?.views.length ?? 0) > 0
  if (name === 'limit' || isView || form === 'isNull') return value
  const isNumber =
    group?.filters.find((each) => each.name === base)?.kind === 'integer' ||
    group?.fields.find((each) => each.name === base)?.kind === 'integer'
  const one = (text: string) => (isNumber ? text : quoted(text))
  const isList = form === 'in' || ['include', 'fields', 'ids'].includes(name)
  return isList ? `[${value.split(',').map(one).join(', ')}]` : one(value)
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
