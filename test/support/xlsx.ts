/** Reads a workbook with programs that share nothing with the one that wrote it. */
import { spawnSync } from 'node:child_process'

/** Python's own zip and XML modules: every part is parsed, checksums are compared. */
const script = `
import io, json, re, sys, zipfile
import xml.etree.ElementTree as tree
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
parts = {name: tree.fromstring(archive.read(name)) for name in archive.namelist()}
m = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
styles = parts['xl/styles.xml']
codes = {f.get('numFmtId'): f.get('formatCode') for f in styles.iter(m + 'numFmt')}
formats = [codes.get(x.get('numFmtId'), x.get('numFmtId').strip('0')) for x in styles.find(m + 'cellXfs')]
decode = lambda text: re.sub('_x([0-9A-F]{4})_', lambda found: chr(int(found[1], 16)), text)
rows = []
for row in parts['xl/worksheets/sheet1.xml'].iter(m + 'row'):
    cells = {}
    for cell in row:
        column = re.match('[A-Z]+', cell.get('r'))[0]
        assert cell.get('r') == column + row.get('r')
        kind = cell.get('t', 'n')
        value = cell.find(m + 'is/' + m + 't').text or '' if kind == 'inlineStr' else cell.find(m + 'v').text
        cells[column] = [kind, decode(value), formats[int(cell.get('s', '0'))]]
    rows.append(cells)
pane = parts['xl/worksheets/sheet1.xml'].find(m + 'sheetViews/' + m + 'sheetView/' + m + 'pane')
json.dump({
    'parts': archive.namelist(),
    'sheet': parts['xl/workbook.xml'].find(m + 'sheets/' + m + 'sheet').get('name'),
    'frozenRows': pane.get('ySplit') if pane.get('state') == 'frozen' else None,
    'widths': [each.get('width') for each in parts['xl/worksheets/sheet1.xml'].iter(m + 'col')],
    'filter': parts['xl/worksheets/sheet1.xml'].find(m + 'autoFilter').get('ref'),
    'rows': rows,
}, sys.stdout)
`

export interface Workbook {
  readonly parts: readonly string[]
  readonly sheet: string
  readonly frozenRows: string | null
  /** In characters, by column. */
  readonly widths: readonly string[]
  /** The cells with filters. */
  readonly filter: string
  /**
   * Of each row the cells by column: type, value as it is written, format of numbers or the number
   * of a built-in one.
   */
  readonly rows: readonly { readonly [column: string]: readonly [string, string, string] }[]
}

/** Why workbooks cannot be read here; false if they can. */
export const cannotReadWorkbooks: string | false =
  spawnSync('python3', ['--version']).status === 0 ? false : 'needs python3'

/** Throws where the file is not a whole archive of well-formed parts. */
export const readWorkbook = (file: Uint8Array): Workbook => {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: file,
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new TypeError(`The workbook cannot be read: ${stderr}`)
  return JSON.parse(stdout.toString())
}

/** The number of rows of a workbook, for one that is too large to be parsed. */
export const countRows = (file: Uint8Array): number => {
  const counting = `
import io, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
print(archive.read('xl/worksheets/sheet1.xml').count(b'<row '))
`
  return Number(spawnSync('python3', ['-c', counting], { input: file }).stdout.toString())
}
