/** What the OpenAPI documents say about a response, and a validator the server knows nothing of. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { basePath, feedBasePath, ingestBasePath, queryBasePath } from '#contract'

/** The documents by the base path of their API. Each is read when a test first needs it. */
const files: { readonly [base: string]: string } = {
  [basePath]: 'openapi.json',
  [queryBasePath]: 'connectors/openapi.query.json',
  [feedBasePath]: 'connectors/openapi.feed.json',
  [ingestBasePath]: 'connectors/openapi.ingest.json',
}

interface Response {
  readonly $ref?: string
  readonly content?: {
    readonly [type: string]: { readonly schema: { readonly $ref?: string } }
  }
}

interface Operation {
  readonly responses: { readonly [status: string]: Response }
}

interface Document {
  readonly paths: { readonly [template: string]: { readonly [method: string]: Operation } }
  readonly components: { readonly responses: { readonly [name: string]: Response } }
}

// Its defaults take four times as long to compile the schemas, in every test file again.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  inlineRefs: false,
  code: { optimize: false },
})
addFormats.default(ajv)

const documents = new Map<string, Document>()

const documentOf = (base: string): Document => {
  const loaded = documents.get(base)
  if (loaded) return loaded
  const file = new URL(`../../${files[base]}`, import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document
  ajv.addSchema({ $id: base, ...document })
  documents.set(base, document)
  return document
}

/** An operation of a document, and what it may respond. */
export interface DescribedOperation {
  /** The path of the operation below the base path of its document. */
  readonly template: string
  /** Asserts that the document has this status, with this type and this body. */
  assertBody(answer: DescribedAnswer, where: string): void
}

export interface DescribedAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: unknown
}

/** The operation that a request is of; undefined if no document has it. */
export const describedOperation = (
  method: string,
  path: string,
): DescribedOperation | undefined => {
  const base = Object.keys(files).find((each) => path.startsWith(`${each}/`))
  if (base === undefined) return undefined
  const { paths } = documentOf(base)
  const template = templatesOf(path.slice(base.length)).find((each) => Object.hasOwn(paths, each))
  const operation =
    template === undefined
      ? undefined
      : paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (template === undefined || !operation) return undefined
  return {
    template,
    assertBody: (answer, where) => assertBody(base, operation, method, answer, where),
  }
}

/** Every second part of a path may be a parameter: `/brands/{brand}/orders/{id}/document`. */
const templatesOf = (path: string): readonly string[] => {
  const [, brands, brand, collection, id, ...more] = path.split('/')
  if (brands !== 'brands' || brand === '' || brand === undefined || id === '') return []
  const parts = ['', 'brands', '{brand}', collection, id, ...more]
  const written = parts.filter((part) => part !== undefined)
  const byId = written.map((part, index) => (index === 4 ? '{id}' : part))
  return [written.join('/'), byId.join('/')]
}

const assertBody = (
  base: string,
  { responses }: Operation,
  method: string,
  { status, headers, body }: DescribedAnswer,
  where: string,
): void => {
  const response = responses[status]
  assert.ok(response, `${where} is not a documented status`)
  const name = response.$ref?.slice('#/components/responses/'.length)
  const { content } = name ? (documentOf(base).components.responses[name] ?? {}) : response
  const [type = ''] = headers.get('content-type')?.split(';') ?? []
  if (!content || method === 'HEAD') return
  const { schema } = content[type] ?? {}
  assert.ok(schema, `${where} has the undocumented type ${type}`)
  if (schema.$ref) assertSchema(base, schema.$ref, body, where)
}

/** Asserts that a body is valid under a schema of a document. */
export const assertSchema = (base: string, ref: string, body: unknown, where: string): void => {
  documentOf(base)
  const validate = ajv.getSchema(base + ref) as ValidateFunction
  assert.ok(validate(body), `${where}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
}
