// Undoes the last change that ao made to the file, as long as nobody else has changed it since.
import { useRefusal } from '../../../api/may.ts'
import { Button } from '../../../ui/button.tsx'
import { useConfigFile, useUndo } from './use-config.ts'

export function UndoButton() {
  const refusal = useRefusal('POST /api/config/undo')
  return refusal === null ? <Undo /> : null
}

function Undo() {
  const undo = useUndo()
  const { data } = useConfigFile()
  if (!data?.canUndo) return null
  return (
    <Button icon="restore" does="POST /api/config/undo" busy={undo.isPending} onClick={() => undo.mutate()}>
      Undo the last change
    </Button>
  )
}
