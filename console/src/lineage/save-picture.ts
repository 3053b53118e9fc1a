import { dayText } from '../figures.ts'
import { groupSingular, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { drawingOf, type Folded, type OpenHeads } from './drawing.ts'
import { moreText, stageTitle } from './graph-view.tsx'
import { layoutOf } from './layout.ts'
import { type Lineage, type LineageNode, nameOf } from './lineage.ts'
import { nodeFacts } from './node-facts.ts'
import { type Card, drawPicture, readPalette } from './picture.ts'
import { foldedText } from './record-node.tsx'

/** Saves the graph as a PNG file, with the currently visible lines. */
export const savePicture = async (
  lineage: Lineage,
  open: OpenHeads,
  title: string,
  fileName: string,
): Promise<void> => {
  const drawing = drawingOf(lineage, open)
  const layout = layoutOf(lineage, drawing)
  const canvas = drawPicture({
    title,
    layout,
    cards: new Map(
      drawing.nodes.map((node) => [
        node.key,
        cardOf(lineage, node, drawing.folded.get(node.key) ?? []),
      ]),
    ),
    columns: layout.columns.map(({ column }) => stageTitle(column)),
    lists: new Map([...drawing.truncated].map(([key, list]) => [key, moreText(list)])),
    palette: readPalette(),
    font: getComputedStyle(document.body).fontFamily,
  })
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (!blob) throw new Error(texts().lineage.noPicture)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = fileName
  link.click()
  // The browser has taken the file by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href))
}

const cardOf = (lineage: Lineage, node: LineageNode, folded: readonly Folded[]): Card => {
  const { pieces, money, date, status, struck } = nodeFacts(lineage, node)
  const words = texts().lineage
  const state = struck ? words.strikes[struck] : status && valueLabel(status)
  return {
    kind: [groupSingular(node.group), date && dayText(date)].filter(Boolean).join(' · '),
    name: nameOf(lineage, node),
    facts: [node.isMissing && words.missing, state, pieces !== null && words.pieces(pieces), money]
      .filter(Boolean)
      .join(' · '),
    folded: foldedText(folded),
    isStart: node.key === lineage.start,
    isMissing: node.isMissing,
  }
}
