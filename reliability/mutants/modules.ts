/** The modules to mutate, each with the tests that must notice the mutants. */
export const mutatedModules = {
  'src/cursors/cursor.ts': 'test/unit/cursor.test.ts',
  'src/request/query-string.ts': 'test/unit/query.test.ts',
  'src/request/parameters.ts': 'test/unit/parameters.test.ts',
  'src/contract/group-scope.ts': 'test/unit/group-scope.test.ts',
  'src/keys/addresses.ts': 'test/unit/key-addresses.test.ts',
  'src/keys/key.ts': 'test/unit/key.test.ts',
  'src/keys/keys.ts': 'test/unit/keys.test.ts',
  'src/keys/key-verifier.ts': 'test/unit/key-verifier.test.ts',
  'src/http/admission.ts': 'test/unit/admission.test.ts',
  'src/rate-limit/memory.ts': 'test/unit/memory-limiter.test.ts',
  'src/rate-limit/rate-limit.ts': 'test/unit/rate-limit.test.ts',
  'src/http/error-response.ts': 'test/unit/errors.test.ts',
  'src/request/api-error.ts': 'test/unit/api-error.test.ts',
  'src/contract/check.ts': 'test/unit/check.test.ts',
  'src/contract/formats.ts': 'test/unit/formats.test.ts',
} as const

export type MutatedModule = keyof typeof mutatedModules
