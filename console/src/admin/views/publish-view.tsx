import { useId, useState } from 'react'
import {
  type OperatorNewView,
  type OperatorView,
  publishedViewLimits,
} from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { Field, FormDialog } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'

/** The path of a brand's views, below `/api`. */
export const viewsPath = (brand: string): string => `/brands/${encodeURIComponent(brand)}/views`

/** Publishes a view from a link that was copied in the console. */
export const PublishView = ({ brand, onClose }: { brand: string; onClose: () => void }) => {
  const words = adminTexts().views
  const { api, report } = useAdmin()
  const reload = useReload()
  const id = useId()
  const [link, setLink] = useState('')
  const [name, setName] = useState<string | null>(null)
  const shownName = name ?? nameIn(link)
  const submit = async () => {
    const body: OperatorNewView = { link: link.trim(), name: shownName.trim() }
    const view = await api.change<OperatorView>('POST', viewsPath(brand), body)
    await reload(viewsPath(brand))
    report(words.published(view.name))
    onClose()
  }
  return (
    <FormDialog
      title={words.publish}
      action={words.publish}
      isReady={link.trim() !== '' && shownName.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field id={`${id}-link`} label={words.link} note={words.linkNote(brand)}>
        <input
          id={`${id}-link`}
          aria-describedby={`${id}-link-note`}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={link}
          onChange={(event) => setLink(event.target.value)}
        />
      </Field>
      <Field id={`${id}-name`} label={words.name}>
        <input
          id={`${id}-name`}
          autoComplete="off"
          maxLength={publishedViewLimits.name}
          value={shownName}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}

/** The name in a link; empty if it has none. */
const nameIn = (link: string): string =>
  new URLSearchParams(URL.parse(link.trim())?.search).get('saved') ?? ''
