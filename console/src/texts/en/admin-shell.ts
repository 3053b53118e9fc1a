/** The frame of the operator page, and signing in. */
export const shell = {
  title: 'Operator page',
  sections: { access: 'Access', records: 'Records', installation: 'Installation' },
  signedInAs: (operator: string) => `Signed in as ${operator}`,
  console: 'Console',
  settings: 'Settings',
  signOut: 'Sign out',
  signingIn: 'Signing in …',
  signedOutTitle: 'Sign in',
  signedOut:
    'This page is for operators of the installation. Sign in with a link from the terminal of the server:',
  signInCommand: 'selvedge admin --as <name>',
  linkNote:
    'The link works once, within 10 minutes. Your name is written to the audit log with everything you change.',
  ended: 'The session has ended. To continue, sign in with a new link.',
  linkUsed: 'This link has been used or has expired.',
  left: 'You are signed out.',
  reload: 'I am signed in already',
  noPage: 'This page does not exist. Choose another in the navigation.',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  release: (release: string, engine: string) => `Selvedge ${release} on ${engine}`,
}
