// Devices with access of their own: what each may do, when it was last here, and the way to end it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceRow } from '../../../../../src/contract/dashboard/devices.ts'
import { signOut, useAccess } from '../../../api/access.ts'
import { Answered, useAnswer } from '../../../api/answered.tsx'
import { ask } from '../../../api/client.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { toast, toastError } from '../../../ui/overlay/toast.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { formatDate } from '../../../ui/text/format.ts'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { PairDialog } from './pair-dialog.tsx'

export function DevicesPanel() {
  const access = useAccess()
  const [pairing, setPairing] = useState(false)
  const mayManage = access?.right === 'full'
  return (
    <Panel
      title="Devices"
      actions={
        <>
          {mayManage && (
            <Button size="sm" icon="plus" does="POST /api/devices" onClick={() => setPairing(true)}>
              Pair a phone
            </Button>
          )}
          <SignOutButton isDevice={access?.device != null} />
        </>
      }
    >
      {mayManage ? (
        <DeviceList />
      ) : (
        <p className="px-4 py-3 text-sm text-muted">Other devices are managed on the machine itself.</p>
      )}
      {pairing && <PairDialog onClose={() => setPairing(false)} />}
    </Panel>
  )
}

function DeviceList() {
  const query = useAnswer(['devices'], 'GET /api/devices')
  return (
    <Answered query={query}>
      {({ devices }) =>
        devices.length === 0 ? (
          <p className="px-4 py-3 text-sm text-muted">
            No device is paired. A paired phone has access of its own, which you can limit and end here.
          </p>
        ) : (
          <ul className="divide-y">
            {devices.map((device) => (
              <DeviceItem key={device.id} device={device} />
            ))}
          </ul>
        )
      }
    </Answered>
  )
}

function DeviceItem({ device }: { device: DeviceRow }) {
  const [asking, setAsking] = useState(false)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <span className="min-w-0 font-medium break-words">{device.name}</span>
      <Badge>{device.right === 'full' ? 'everything' : device.right}</Badge>
      {device.isThis && <Badge tone="good">this device</Badge>}
      <span className="min-w-0 flex-1 text-xs text-muted">
        last seen <TimeAgo at={device.seenAt} ago />, paired {formatDate(device.pairedAt)}
      </span>
      <Button
        size="sm"
        does="POST /api/devices/:id/revoke"
        aria-label={`Revoke ${device.name}`}
        onClick={() => setAsking(true)}
      >
        Revoke…
      </Button>
      {asking && <RevokeDialog device={device} onClose={() => setAsking(false)} />}
    </li>
  )
}

function RevokeDialog({ device, onClose }: { device: DeviceRow; onClose: () => void }) {
  const client = useQueryClient()
  const revoking = useMutation({
    mutationFn: () => ask('POST /api/devices/:id/revoke', { params: { id: device.id }, body: {} }),
    onSuccess: () => {
      toast({ tone: 'good', title: `Revoked ${device.name}` })
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['devices'] }),
  })
  return (
    <FormDialog
      title={`Revoke ${device.name}?`}
      action="Revoke"
      isDanger
      does="POST /api/devices/:id/revoke"
      runs={revoking}
      onClose={onClose}
    >
      <p className="text-sm">Its open pages end at once. To come back it has to be paired again.</p>
    </FormDialog>
  )
}

function SignOutButton({ isDevice }: { isDevice: boolean }) {
  const leaving = useMutation({
    mutationFn: signOut,
    onError: (error) => toastError(error),
  })
  return (
    <Button size="sm" does="POST /api/sign-out" runs={leaving}>
      {isDevice ? 'Sign this device out' : 'Sign out'}
    </Button>
  )
}
