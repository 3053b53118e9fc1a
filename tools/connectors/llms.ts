import {
  basePath,
  catalog,
  type Domain,
  domains,
  inWords,
  limits,
  operationsOf,
  type Resource,
  relationsOf,
} from '#contract'

/** The service for those who read before they call: what there is, how it is asked, what to mind. */
export const llmsText = (): string =>
  [
    '# Selvedge',
    `> A read-only HTTP and JSON API for a brand's supply-chain records: ${catalog.resources.length} groups of records, ${operationsOf(catalog).length} operations, all of them GET, all under \`${basePath}\`.`,
    [
      'How to ask:',
      '',
      '- Send `Authorization: Bearer <key>`. `GET /whoami` says which brands the key may read.',
      `- A list is \`GET ${basePath}/brands/{brand}/{collection}\`. A record is the same path with its identity after it. The brand itself is \`GET ${basePath}/brands/{brand}\`.`,
      `- A list answers \`{"items": [], "nextCursor": null, "totalItems": 0}\`. \`totalItems\` is exact and counts all pages, so ask with \`limit=1\` to count.`,
      `- \`limit\` is 1 to ${limits.pageSize.maximum}, ${limits.pageSize.default} unless said. A record has at most ${limits.record.maxBytes / 1_024} KiB. For the next page send \`nextCursor\` as \`cursor\`, with the same filters. Stop when it is null.`,
      '- Filters compare exactly, with upper and lower case, and combine with and. There are no ranges, no sorting and no search: the order is by identity.',
      '- `include` adds the records that are referred to: `include=order` for `orderId`. Several names are separated by commas, or `include` is repeated.',
      '- Unknown, repeated or empty parameters are refused with 400; `details` names each of them.',
      '- Every field is always there, null where it is not known. Amounts are strings with all their digits. Timestamps are UTC. Status fields may have values that are not listed.',
      '- Records with `deletedAt` or `retractedAt` set were removed or retracted; they are listed and counted.',
      '- 401: the key. 404: no such path, record or brand. 429: wait for `Retry-After` seconds. `errorCode` is for programs, `error` for people.',
    ].join('\n'),
    [
      '## Documents',
      '',
      `- [OpenAPI 3.1 document](${basePath}/openapi.json): every operation, field and error; no key needed`,
      '- [Reference](/docs): the same, for people',
    ].join('\n'),
    ...domains.map(domainText),
    [
      '## Optional',
      '',
      '- [Health](/healthz): whether the server runs',
      '- [Readiness](/readyz): whether it can answer',
      '',
      '<!-- Made from the code by tools/generate.ts. Do not edit: run npm run generate. -->',
      '',
    ].join('\n'),
  ].join('\n\n')

const domainText = (domain: Domain): string =>
  [
    `## ${inWords(domain)}`,
    '',
    ...catalog.resources.filter((each) => each.domain === domain).map(lineOf),
  ].join('\n')

const lineOf = (resource: Resource): string => {
  const { path, summary, filters, endpoints, lookup, key } = resource
  const names = relationsOf(resource).map(({ name }) => name)
  const identity = endpoints.includes('get') ? '' : ` Identity: ${key.join(' + ')}; no get.`
  return [
    `- \`${lookup ? '/brands/{brand}' : path}\`: ${summary}`,
    identity,
    filters.length > 0 ? ` Filters: ${filters.map(({ name }) => name).join(', ')}.` : '',
    names.length > 0 ? ` Include: ${names.join(', ')}.` : '',
  ].join('')
}
