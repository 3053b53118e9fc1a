import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A certificate of this machine that is its own authority, and its key. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** Makes a certificate: `<name>.crt` and `<name>.key` in a folder. */
export const makeCertificate = (folder: string, name: string): Certificate => {
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  execFileSync(
    'openssl',
    [
      ...['req', '-new', '-x509', '-nodes', '-days', '2', '-newkey', 'rsa:2048'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  )
  return { certificate, key }
}
