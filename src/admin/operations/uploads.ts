import {
  ApiError,
  catalog,
  fileNameHeader,
  patterns,
  type UploadChoices,
  uploadJobKinds,
  uploadLimits,
} from '#contract'
import { choice, type Field, FieldProblem, flag, nullable, readFields, text } from '../fields.ts'
import { type Operation, type OperationRequest, operation } from '../operation.ts'

const id = text(100)

/** The name of a file, and nothing of the folders that it was in. */
const readName = ({ headers }: Pick<OperationRequest, 'headers'>): string => {
  const sent = headers[fileNameHeader]
  try {
    const name = typeof sent === 'string' ? decodeURIComponent(sent) : ''
    if (/^[^/\\\p{Cc}\p{Cs}\p{Bidi_C}]{1,200}$/u.test(name) && !/^\.+$/.test(name)) return name
  } catch {
    // The answer is the same as for any other name that is not valid.
  }
  throw new ApiError(
    'invalid_parameter',
    `${fileNameHeader} must have the name of the file, percent-encoded, without folders and control characters, with at most 200 characters.`,
  )
}

const collections: Field<UploadChoices['collections']> = (value) => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isObject ? Object.entries(value) : []
  if (!isObject || entries.length > uploadLimits.files) {
    throw new FieldProblem('must be an object with a collection for each file')
  }
  const unknown = entries.find(([, path]) => !catalog.byPath.has(String(path)))
  if (unknown) throw new FieldProblem(`names a collection that does not exist: ${unknown[1]}`)
  return Object.fromEntries(entries) as UploadChoices['collections']
}

const slug: Field<string> = (value) => {
  if (typeof value === 'string' && new RegExp(patterns.brand).test(value)) return value
  throw new FieldProblem('must be the slug of a brand, or null')
}

const bytesExpected = ({ headers }: Pick<OperationRequest, 'headers'>): number =>
  Number(headers['content-length'] ?? 0)

/** Uploaded files: preview, dry run and import. See `contract/operator-uploads.ts`. */
export const uploadOperations: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/uploads',
    body: 'raw',
    bytesMax: uploadLimits.fileBytes,
    read: (request) => ({ name: readName(request), bytesExpected: bytesExpected(request) }),
    run: ({ uploads }, file, { session, openBody, signal }) =>
      uploads.add(session, null, { ...file, openBody, signal }),
  }),
  operation({
    method: 'POST',
    path: '/uploads/{id}/files',
    body: 'raw',
    bytesMax: uploadLimits.fileBytes,
    read: (request) => ({
      ...readFields(request.params, { id }),
      ...{ name: readName(request), bytesExpected: bytesExpected(request) },
    }),
    run: ({ uploads }, { id, ...file }, { session, openBody, signal }) =>
      uploads.add(session, id, { ...file, openBody, signal }),
  }),
  operation({
    method: 'GET',
    path: '/uploads/{id}',
    read: ({ params }) => readFields(params, { id }),
    run: async ({ uploads }, { id }, { session }) => uploads.read(session, id),
  }),
  operation({
    method: 'DELETE',
    path: '/uploads/{id}/files/{file}',
    body: 'none',
    read: ({ params }) => readFields(params, { id, file: id }),
    run: ({ uploads }, { id, file }, { session }) => uploads.removeFile(session, id, file),
  }),
  ...uploadJobKinds.map((kind) =>
    operation({
      method: 'POST',
      path: `/uploads/{id}/${kind}`,
      read: ({ params, body }) => ({
        ...readFields(params, { id }),
        choices: readFields(body, {
          brand: nullable(slug),
          collections,
          replace: flag,
          allowRemovals: flag,
          onError: choice('refuse', 'quarantine'),
        }),
      }),
      run: async ({ uploads }, { id, choices }, { session }) =>
        uploads.start(session, id, kind, choices),
    }),
  ),
  operation({
    method: 'POST',
    path: '/uploads/{id}/cancel',
    body: 'none',
    read: ({ params }) => readFields(params, { id }),
    run: async ({ uploads }, { id }, { session }) => uploads.cancel(session, id),
  }),
  operation({
    method: 'DELETE',
    path: '/uploads/{id}',
    body: 'none',
    read: ({ params }) => readFields(params, { id }),
    run: async ({ uploads }, { id }, { session }) => {
      await uploads.discard(session, id)
      return undefined
    },
  }),
]
