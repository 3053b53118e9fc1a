import type { RuleSentences } from '../../rules.ts'

/** COD and TIM: codes and times of changes. */
export const codeRules: RuleSentences = {
  'COD-01': {
    sentence: 'Ein Land ist ein Code nach ISO 3166-1 alpha-2 oder XK.',
    remedy: 'Ersetzen Sie den Wert durch den Code des Landes aus zwei Buchstaben.',
    details: {
      '{} {} is not an ISO 3166-1 alpha-2 code: use {}':
        '{code} {code} ist kein Code nach ISO 3166-1 alpha-2, richtig wäre {code}',
      '{} {} is not an ISO 3166-1 alpha-2 code such as DE':
        '{code} {code} ist kein Code nach ISO 3166-1 alpha-2 wie DE',
      '{} {} must be in upper case: {}': '{code} {code} muss großgeschrieben sein: {code}',
    },
  },
  'COD-02': {
    sentence: 'Eine Währung ist ein Code nach ISO 4217, auch einer früheren Währung.',
    remedy: 'Ersetzen Sie den Wert durch den Code der Währung aus drei Buchstaben.',
    details: {
      '{} {} is not an ISO 4217 code: use {}':
        '{code} {code} ist kein Code nach ISO 4217, richtig wäre {code}',
      '{} {} is not an ISO 4217 code such as EUR':
        '{code} {code} ist kein Code nach ISO 4217 wie EUR',
      '{} {} must be in upper case: {}': '{code} {code} muss großgeschrieben sein: {code}',
    },
  },
  'COD-03': {
    sentence: 'Eine Zeitzone ist ein IANA-Name wie Europe/Berlin, kein Abstand zu UTC.',
    remedy: 'Ersetzen Sie den Wert durch den IANA-Namen der Zeitzone.',
    details: {
      '{} {} is not an IANA time zone such as Europe/Berlin':
        '{code} {code} ist keine IANA-Zeitzone wie Europe/Berlin',
      '{} {} is an offset: use an IANA time zone such as Europe/Berlin':
        '{code} {code} ist ein Abstand zu UTC, richtig wäre eine IANA-Zeitzone wie Europe/Berlin',
    },
  },
  'COD-04': {
    sentence: 'Eine GTIN hat 8, 12, 13 oder 14 Ziffern mit gültiger Prüfziffer.',
    remedy: 'Vergleichen Sie die GTIN mit dem Artikel, und korrigieren Sie sie.',
    details: {
      '{} {} must have 8, 12, 13 or 14 digits':
        '{code} {code} muss 8, 12, 13 oder 14 Ziffern haben',
      '{} {} ends with the check digit {} instead of {}':
        '{code} {code} endet mit der Prüfziffer {code} statt {code}',
    },
  },
  'COD-05': {
    sentence: 'Eine GLN hat 13 Ziffern mit gültiger Prüfziffer.',
    remedy: 'Erfragen Sie die GLN des Standorts bei seinem Inhaber, und korrigieren Sie sie.',
    details: {
      '{} {} must have 13 digits': '{code} {code} muss 13 Ziffern haben',
      '{} {} ends with the check digit {} instead of {}':
        '{code} {code} endet mit der Prüfziffer {code} statt {code}',
    },
  },
  'COD-06': {
    sentence: 'Ein SSCC hat 18 Ziffern mit gültiger Prüfziffer.',
    remedy: 'Vergleichen Sie den SSCC mit dem Etikett des Kartons, und korrigieren Sie ihn.',
    details: {
      '{} {} must have 18 digits': '{code} {code} muss 18 Ziffern haben',
      '{} {} ends with the check digit {} instead of {}':
        '{code} {code} endet mit der Prüfziffer {code} statt {code}',
    },
  },
  'COD-07': {
    sentence: 'Eine Farbe ist # und sechs hexadezimale Ziffern.',
    remedy: 'Schreiben Sie die Farbe als # und sechs hexadezimale Ziffern.',
    details: {
      '{} {} must be # and six hexadecimal digits such as #1F2A44':
        '{code} {code} muss # und sechs hexadezimale Ziffern sein wie #1F2A44',
    },
  },
  'COD-08': {
    sentence: 'Eine geografische Breite liegt zwischen -90 und 90.',
    remedy: 'Korrigieren Sie die Breite. Prüfen Sie, ob sie mit der Länge vertauscht ist.',
    details: { '{} {} must be from -90 to 90': '{code} {code} muss zwischen -90 und 90 liegen' },
  },
  'COD-09': {
    sentence: 'Eine geografische Länge liegt zwischen -180 und 180.',
    remedy: 'Korrigieren Sie die Länge, in Grad.',
    details: {
      '{} {} must be from -180 to 180': '{code} {code} muss zwischen -180 und 180 liegen',
    },
  },
  'COD-10': {
    sentence:
      'Eine Containernummer hat vier Buchstaben und sieben Ziffern mit gültiger Prüfziffer.',
    remedy: 'Vergleichen Sie die Containernummer mit dem Konnossement, und korrigieren Sie sie.',
    details: {
      '{} {} must have four capital letters and seven digits such as MSKU9070323':
        '{code} {code} muss vier Großbuchstaben und sieben Ziffern haben wie MSKU9070323',
      '{} {} ends with the check digit {} instead of {}':
        '{code} {code} endet mit der Prüfziffer {code} statt {code}',
    },
  },
  'COD-11': {
    sentence: 'Eine IMO-Schiffsnummer hat sieben Ziffern mit gültiger Prüfziffer.',
    remedy: 'Schlagen Sie die IMO-Nummer des Schiffs nach, und korrigieren Sie sie.',
    details: {
      '{} {} must have seven digits such as 9074729':
        '{code} {code} muss sieben Ziffern haben wie 9074729',
      '{} {} ends with the check digit {} instead of {}':
        '{code} {code} endet mit der Prüfziffer {code} statt {code}',
    },
  },
  'COD-12': {
    sentence: 'Eine Zolltarifnummer hat 6 bis 10 Ziffern.',
    remedy: 'Ergänzen oder korrigieren Sie die Zolltarifnummer.',
    details: { '{} {} must have 6 to 10 digits': '{code} {code} muss 6 bis 10 Ziffern haben' },
  },
  'COD-13': {
    sentence: 'Ein Incoterm ist einer der Incoterms 2020.',
    remedy: 'Ersetzen Sie die Klausel durch eine der Incoterms 2020.',
    details: {
      '{} {} is not an Incoterms 2020 code: use {}':
        '{code} {code} gehört nicht zu den Incoterms 2020, richtig wäre {code}',
      '{} {} is not an Incoterms 2020 code such as FOB':
        '{code} {code} gehört nicht zu den Incoterms 2020 wie FOB',
      '{} {} must be in upper case: {}': '{code} {code} muss großgeschrieben sein: {code}',
    },
  },
  'COD-14': {
    sentence: 'Ein UN/LOCODE ist ein Ländercode und drei Zeichen.',
    remedy: 'Schlagen Sie den UN/LOCODE des Ortes nach, und schreiben Sie ihn ohne Leerzeichen.',
    details: {
      '{} {} must be a country code and three characters such as PTLEI':
        '{code} {code} muss ein Ländercode und drei Zeichen sein wie PTLEI',
    },
  },
  'COD-15': {
    sentence: 'Eine Sprache ist ein Code nach ISO 639-1.',
    remedy: 'Ersetzen Sie den Wert durch den Code der Sprache aus zwei Buchstaben.',
    details: {
      '{} {} is not an ISO 639-1 code: use {}':
        '{code} {code} ist kein Code nach ISO 639-1, richtig wäre {code}',
      '{} {} is not an ISO 639-1 code such as en':
        '{code} {code} ist kein Code nach ISO 639-1 wie en',
      '{} {} must be in lower case: {}': '{code} {code} muss kleingeschrieben sein: {code}',
    },
  },
  'COD-16': {
    sentence: 'Eine E-Mail-Adresse hat einen Namen, @ und eine Domain.',
    remedy: 'Korrigieren Sie die E-Mail-Adresse.',
    details: { '{} {} is not an e-mail address': '{code} {code} ist keine E-Mail-Adresse' },
  },
  'COD-17': {
    sentence: 'Eine URL beginnt mit https:// oder http://.',
    remedy: 'Ergänzen Sie die URL um https:// oder http://.',
    details: {
      '{} {} is not a URL that begins with https:// or http://':
        '{code} {code} ist keine URL, die mit https:// oder http:// beginnt',
    },
  },
  'TIM-01': {
    sentence: 'Kein Datensatz wurde in der Zukunft geändert.',
    remedy:
      'Korrigieren Sie die Zeitzone der Zeiten in der Quelle oder in der Zuordnung, und importieren Sie die Datensätze erneut.',
    details: {
      'updatedAt is {}': 'updatedAt ist {}',
      'updatedAt is {}, probably {} hours too late: times of {} taken for UTC, or times of UTC taken for {}':
        'updatedAt ist {}, vermutlich {} Stunden zu spät: Zeiten von {code} als UTC gelesen, oder Zeiten von UTC als {code} gelesen',
    },
  },
}
