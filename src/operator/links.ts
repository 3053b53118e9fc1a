import {
  ApiError,
  catalog,
  downloadParametersOf,
  groupScopeOf,
  queryBasePath,
  requireGroups,
} from '#contract'
import { type IssuedLink, type KeyRecord, type LinkRecord, linksPerKey } from '#keys'
import { queryParameters } from '#request'
import { requireBrand } from './brand.ts'
import { OperatorError } from './error.ts'
import { isValid } from './key-review.ts'
import { readMoment } from './moments.ts'
import type { OperatorParts } from './parts.ts'

type LinkParts = Pick<OperatorParts, 'keys' | 'links' | 'store' | 'now'>

export interface LinkRequest {
  readonly keyId: string
  /** May be left out if the key is for one brand. */
  readonly brand?: string | undefined
  /** A download: `orders?view=late&format=csv`, or its address. */
  readonly download: string
  readonly name?: string | undefined
  /** A time, or a duration from now. */
  readonly expires?: string | undefined
}

/** A link as it is listed: without its token, which is shown once. */
export interface ListedLink extends LinkRecord {
  readonly state: 'good' | 'expired' | 'key_invalid' | 'out_of_scope'
}

const usualExpiry = '90d'
/** Characters of the parameters. */
const queryMax = 4_000

/** Issues a link to a download, with the rights of a key. */
export const issueLink = async (
  { keys, links, store, now }: LinkParts,
  { keyId, brand, download, name = '', expires = usualExpiry }: LinkRequest,
): Promise<IssuedLink> => {
  const key = (await keys.list()).find(({ id }) => id === keyId)
  if (!key)
    throw new OperatorError('missing', `Key ${keyId} does not exist. See: selvedge keys list`)
  if (key.kind !== 'read' || !isValid(key, now())) {
    throw new OperatorError('conflict', `${keyId} is not a valid key for reading.`)
  }
  const requested = readDownload(download)
  const slug = readBrand(key, requested.brand ?? brand)
  await requireBrand(store, slug)
  checkDownload(key, requested.group, requested.query)
  const expiresAt = readMoment(expires, now())
  const link = {
    name,
    keyId,
    brand: slug,
    group: requested.group,
    query: requested.query,
    expiresAt,
  }
  const issued = await links.issue(link)
  if (issued) return issued
  throw new OperatorError(
    'conflict',
    `${keyId} has ${linksPerKey} links, which is the most. Remove one: selvedge links remove <id>`,
  )
}

export const listLinks = async ({
  keys,
  links,
  now,
}: Pick<LinkParts, 'keys' | 'links' | 'now'>): Promise<readonly ListedLink[]> => {
  const at = now()
  const all = new Map((await keys.list()).map((key) => [key.id, key]))
  return (await links.list()).map((link) => ({
    ...link,
    state: stateOf(link, all.get(link.keyId), at),
  }))
}

/** Whether a link gives its download, or why it does not. */
const stateOf = (
  { brand, group, expiresAt }: LinkRecord,
  key: KeyRecord | undefined,
  at: number,
): ListedLink['state'] => {
  if (Date.parse(expiresAt) <= at) return 'expired'
  if (!key || !isValid(key, at)) return 'key_invalid'
  const canRead = (key.global || key.brands.includes(brand)) && groupScopeOf(key).has(group)
  return canRead ? 'good' : 'out_of_scope'
}

export const removeLink = async (
  { links }: Pick<LinkParts, 'links'>,
  id: string,
): Promise<LinkRecord> => {
  const removed = await links.remove(id)
  if (removed) return removed
  throw new OperatorError('missing', `Link ${id} does not exist. See: selvedge links list`)
}

interface AskedDownload {
  readonly brand: string | null
  readonly group: string
  readonly query: string
}

const addressPattern = new RegExp(
  `^(?:https?://[^/]+)?(?:/[^?]*)?${queryBasePath}/brands/([^/?]+)/(.*)$`,
)

/** Reads the group and the parameters of a download, or of its address. */
const readDownload = (text: string): AskedDownload => {
  const [, brand = null, rest = text] = addressPattern.exec(text) ?? []
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  const query = mark === -1 ? '' : rest.slice(mark + 1)
  const group = path.replace(/\/download$/, '')
  if (catalog.byPath.get(group)?.endpoints.includes('list') !== true) {
    throw new OperatorError(
      'invalid',
      `${JSON.stringify(group)} is not a list. Use a list with its parameters, such as 'orders?view=late&format=csv'.`,
    )
  }
  if (query.length > queryMax) {
    throw new OperatorError('invalid', `The parameters have more than ${queryMax} characters.`)
  }
  return { brand, group, query }
}

const readBrand = ({ id, brands, global }: KeyRecord, brand: string | undefined): string => {
  const slug = brand ?? (global || brands.length !== 1 ? undefined : brands[0])
  if (slug === undefined) {
    throw new OperatorError('usage', `${id} can read several brands: use --brand <slug>.`)
  }
  if (global || brands.includes(slug)) return slug
  throw new OperatorError('invalid', `${id} may not read the brand ${slug}.`)
}

/** Refuses what the download would refuse, also because of the groups of the key. */
const checkDownload = (key: KeyRecord, group: string, query: string): void => {
  const resource = catalog.byPath.get(group)
  if (!resource) return
  const scope = groupScopeOf(key)
  try {
    requireGroups(scope, [group])
    queryParameters(resource, downloadParametersOf(resource))(query, scope)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = (error.details ?? []) as readonly { parameter?: string; issue?: string }[]
    const issues = details.map(({ parameter, issue }) => `${parameter} ${issue}`)
    throw new OperatorError('invalid', [error.message, ...issues].join('\n  '))
  }
}
