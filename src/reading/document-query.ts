import {
  type DocumentPath,
  type GroupScope,
  queryBasePath,
  type Resource,
  resourceAt,
  type SectionDefinition,
} from '#contract'
import { documentParameters, encodeValue, notFound, todayOf } from '#request'
import type { DocumentRequest, Picture, RecordDocument } from '#store'
import type { SelectorParts } from './selector.ts'

/** Parses requests for the documents of a group from an id and the parameters' text. */
export const createDocumentQueries = ({ store, now }: SelectorParts, resource: Resource) => {
  const parse = documentParameters(resource)
  return async (
    brand: string,
    id: string,
    queryText: string,
    scope: GroupScope,
  ): Promise<DocumentRequest> => {
    const { asOf, limit } = parse(queryText, id)
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    const today = todayOf(profile, asOf, now())
    const { baseCurrency } = profile
    return { resource, brand, id, limit, today, baseCurrency, scope }
  }
}

/** A temporary link to an image. */
export interface PictureLink {
  readonly url: string
  readonly expiresAt: string
}

/** A document as JSON, in pieces. Inserts stored records byte for byte. */
export const documentJson = (
  parts: Pick<SelectorParts, 'store'>,
  request: DocumentRequest,
  document: RecordDocument,
  links: ReadonlyMap<string, PictureLink>,
): readonly Uint8Array[] => {
  const { resource, id, today, baseCurrency } = request
  const { title, status, deadlines, progress, goods, scorecard, sections, pictures } = document
  const { missingParts } = document
  const head = JSON.stringify({
    group: resource.path,
    id,
    title,
    status,
    asOf: today.day,
    timezone: today.timezone,
    baseCurrency,
    deadlines,
    progress,
    scorecard,
    ...(missingParts.length > 0 && { missingParts }),
    goods,
  })
  return [
    Buffer.from(`${head.slice(0, -1)},"record":`),
    document.record,
    Buffer.from(',"sections":{'),
    ...sections.flatMap((section, index) => {
      const { name, definition, total, rows } = section
      const sectionHead = JSON.stringify({
        title: definition.title,
        group: definition.group,
        totalItems: total,
        url: sectionUrl(parts, request, document, definition),
      })
      const comma = index === 0 ? '' : ','
      return [
        Buffer.from(`${comma}${JSON.stringify(name)}:${sectionHead.slice(0, -1)},"items":[`),
        ...rows.flatMap(({ record, goods: named, figures }, at) => [
          Buffer.from(`${at === 0 ? '' : ','}{"record":`),
          record,
          Buffer.from(rowEnd(definition, { goods: named, figures })),
        ]),
        Buffer.from(']}'),
      ]
    }),
    Buffer.from(`},"pictures":${JSON.stringify(picturesJson(pictures, links))}}`),
  ]
}

const rowEnd = (
  definition: SectionDefinition,
  row: { readonly goods: unknown; readonly figures: unknown },
): string => {
  const end = JSON.stringify({
    ...(definition.goods && { goods: row.goods }),
    ...(definition.figures && { figures: row.figures }),
  })
  return end === '{}' ? '}' : `,${end.slice(1)}`
}

const picturesJson = (
  pictures: ReadonlyMap<string, Picture>,
  links: ReadonlyMap<string, PictureLink>,
) =>
  Object.fromEntries(
    [...pictures].flatMap(([id, { widthPx, heightPx, altText }]) => {
      const link = links.get(id)
      return link ? [[id, { ...link, width: widthPx, height: heightPx, altText }]] : []
    }),
  )

/** The query API list with the same records; null if there is none. */
const sectionUrl = (
  { store }: Pick<SelectorParts, 'store'>,
  { brand, id }: DocumentRequest,
  { definition: { group } }: RecordDocument,
  { group: of, path, view }: SectionDefinition,
): string | null => {
  const filter = filterFor(resourceAt(store.catalog, of), group, path)
  if (filter === null) return null
  const values = { [filter]: id, ...(view !== undefined && { view }) }
  const query = Object.entries(values).map(([name, value]) => `${name}=${encodeValue(value)}`)
  return `${queryBasePath}/brands/${brand}/${of}?${query.join('&')}`
}

/** The filter that selects the records of a path: by a reference, or through a link table. */
const filterFor = (resource: Resource, group: string, path: DocumentPath): string | null => {
  const [first, second, ...others] = path
  if (!first || !('by' in first) || others.length > 0 || path.some(({ where }) => where)) {
    return null
  }
  if (!second) return resource.filters.find(({ field }) => field === first.by)?.name ?? null
  const through = resource.filters.find(
    (each) =>
      each.through?.collection === first.to &&
      each.through.where === first.by &&
      'of' in second &&
      each.through.match === second.of,
  )
  return through && group !== resource.path ? through.name : null
}
