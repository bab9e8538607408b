import { Attachment } from '../attachment.ts';
import { operation } from '../operation.ts';

export const attachmentOperations = {
  uploadAttachment: operation({
    id: 'uploadAttachment',
    method: 'POST',
    path: '/api/v1/agent/attachments',
    scope: 'runs',
    tag: 'Attachments',
    summary: 'Upload a file for a message',
    description:
      'One file in one part of a multipart body. Its type is read from its bytes: images (PNG, JPEG, GIF, WebP, AVIF, HEIC, BMP), PDF, office files, archives, audio, video and plain text are taken; SVG and HTML are not. The `url` of the answer goes into a binary block of a run. A file that no message names within a day is removed.',
    takes: 'multipart/form-data',
    answers: { 201: Attachment },
    refusals: [413, 415, 422],
  }),
  signAttachment: operation({
    id: 'signAttachment',
    method: 'POST',
    path: '/api/v1/agent/attachments/{id}/url',
    scope: 'runs',
    tag: 'Attachments',
    summary: 'Get a fresh signed url of a file',
    description: 'Of an upload of the caller’s own, or of any file in a session of theirs.',
    answers: { 200: Attachment },
    refusals: [404],
  }),
  readAttachment: operation({
    id: 'readAttachment',
    method: 'GET',
    path: '/api/v1/agent/attachments/{id}',
    scope: null,
    tag: 'Attachments',
    summary: 'Read the bytes of a file by its signed url',
    description:
      'The address is used as it was given: its parameters are the only credential, and any change of them is refused. Ranges are supported, and so is HEAD.',
    answers: { 200: null, 206: null },
    gives: 'application/octet-stream',
    refusals: [403, 416],
  }),
};
