/**
 * From here on a segment may hold several, with empty lines between them, which older hosts would misread: the number of
 * the schema keeps them away. What stands in the tables stays as it is.
 */
export const joinedSegments = '';
