// Other people's text: what could not be seen in it is spelled out and marked.
import { hidesText, readableText, visibleLine, visibleText } from '../../../../src/core/text/visible-text.ts'

interface Props {
  text: string
  /** Line breaks stay; else it is one line. */
  lines?: boolean
}

const SPELLED = /(⟨U\+[0-9A-F]{4,6}⟩)/

export function Visible({ text, lines = false }: Props) {
  const shown = lines ? visibleText(text) : visibleLine(text)
  return hidesText(text) ? <Spelled text={shown} /> : shown
}

/** Text that is read and not decided on. */
export function Readable({ text }: { text: string }) {
  return <Spelled text={readableText(text)} />
}

/** What is spelled out already. */
export function Spelled({ text }: { text: string }) {
  return text.split(SPELLED).map((part, index) =>
    SPELLED.test(part) ? (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name
        key={index}
        className="rounded bg-bad-soft px-0.5 font-mono text-bad"
        title="An invisible character"
      >
        {part}
      </mark>
    ) : (
      part
    ),
  )
}
