import { basePath } from '../../../src/contract/index.ts'
import { groupAt } from '../contract.ts'
import type { Request } from './languages.ts'

/** The same request with the TypeScript client. */
export const clientCall = ({ url, isList }: Request): string => {
  const { origin, pathname, searchParams } = new URL(url)
  const [brand = '', path = '', id = ''] = pathname
    .slice(`${basePath}/brands/`.length)
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
          `for await (const item of brand.${inCamelCase(path)}.all(${query})) {`,
          '  console.log(item)',
          '}',
        ]
      : [`console.log(await brand.${path === '' ? 'get()' : record(path, id, query)})`]),
  ].join('\n')
}

const record = (path: string, id: string, query: string): string =>
  `${inCamelCase(path)}.get(${[quoted(id), ...(query ? [query] : [])].join(', ')})`

/** `packing-lists` is `packingLists` in the client. */
const inCamelCase = (path: string): string =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** A query as an object. It has no cursor, since the client starts at the first page. */
const queryOf = (path: string, query: URLSearchParams): string => {
  const entries = [...query].filter(([name]) => name !== 'cursor')
  const texts = entries.map(([name, value]) => `${name}: ${valueText(path, name, value)}`)
  return texts.length === 0 ? '' : `{ ${texts.join(', ')} }`
}

const valueText = (path: string, name: string, value: string): string => {
  if (name === 'limit') return value
  if (name === 'include') return `[${value.split(',').map(quoted).join(', ')}]`
  const filter = groupAt(path)?.filters.find((each) => each.name === name)
  return filter?.kind === 'integer' ? value : quoted(value)
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
