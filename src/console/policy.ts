/** The content security policy of pages. It denies everything that is not listed. */
const policyOf = (sources: { readonly [directive: string]: string }): string =>
  Object.entries({
    'default-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'script-src': "'self'",
    'connect-src': "'self'",
    ...sources,
  })
    .map((entry) => entry.join(' '))
    .join('; ')

const headersOf = (policy: string) => ({
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
})

export const pageHeaders = {
  console: (imageOrigin: string) =>
    headersOf(policyOf({ 'style-src': "'self'", 'img-src': `'self' ${imageOrigin}`.trim() })),
  // The reference inlines its style sheet.
  reference: () =>
    headersOf(
      policyOf({
        'style-src': "'self' 'unsafe-inline'",
        'img-src': "'self' data:",
        'font-src': "'self' data:",
      }),
    ),
}
