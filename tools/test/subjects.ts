/**
 * The subjects of the release tests: path prefixes in the checkout. Other changes affect these
 * tests only through the program, which the other tiers test.
 */
const packaged = [
  'package.json',
  'package-lock.json',
  'tools/build-',
  'tools/package',
  'bin',
  'client',
  'src/installation',
]

export const subjects: { readonly [file: string]: readonly string[] } = {
  'test/cli/conversion.release.test.ts': [
    'src/store/schema',
    'src/server',
    'test/support/layout-1',
  ],
  'test/cli/serve-demo.release.test.ts': ['demo', 'src/cli/serve', 'src/server', 'src/images'],
  'test/cli/start-programs.release.test.ts': [
    'bin',
    'tools/bootstrap.cjs',
    'package.json',
    'src/cli',
  ],
  'test/client/generated-clients.release.test.ts': [
    'connectors/openapi-3.0.json',
    'test/support/client-generators',
  ],
  'test/client/package.release.test.ts': ['client', 'package-lock.json'],
  'test/http/figures.release.test.ts': [
    'src/store',
    'src/contract',
    'demo',
    'test/support/figures',
  ],
  'test/repository/bench.release.test.ts': ['bench', 'tools/build-package.ts', 'tools/package'],
  'test/repository/binary.release.test.ts': [...packaged, 'src/cli/executable'],
  'test/repository/deployment.release.test.ts': ['deploy', 'Dockerfile', 'compose.yaml', 'bin'],
  'test/repository/helm-manifest.release.test.ts': [
    'deploy/helm',
    'deploy/kubernetes',
    'tools/helm',
    'test/support/render-chart',
  ],
  'test/repository/helm.release.test.ts': ['deploy/helm', 'tools/helm', 'src/config'],
  'test/repository/image.release.test.ts': [...packaged, 'Dockerfile', 'tools/image-root.sh'],
  'test/repository/package.release.test.ts': packaged,
  'test/repository/release.release.test.ts': [
    ...packaged,
    'tools/release.ts',
    '.github',
    'tools/sbom.ts',
  ],
  'test/repository/reliability.release.test.ts': ['reliability', 'src'],
  'test/repository/replay.release.test.ts': [
    'reliability/replay',
    'bench/checkouts.ts',
    'bench/product.ts',
  ],
}

/** Whether a test file or its subject is among the changed files. */
export const isAbout =
  (changed: readonly string[]) =>
  (file: string): boolean =>
    [file, ...(subjects[file] ?? [])].some((subject) =>
      changed.some((path) => path.startsWith(subject)),
    )
